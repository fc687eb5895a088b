// Tests that the installed man pages and completions are complete and not stale, and that the
// programs that read them accept them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"
#include "tools/command_reference.h"
#include "tools/manual/completion.h"
#include "tools/manual/man_page.h"
#include "tools/run_pmdex.h"

namespace pmdex {
namespace manual_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const fs::path kManual = PMDEX_MANUAL_DIR;

CommandReference Program() {
  Invocation invocation;
  CLI::App app;
  DefineCommandLine(app, invocation);
  return DescribeCommand(app);
}

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ForEachOption(const CommandReference& command,
                   const std::function<void(const OptionReference&)>& visit) {
  for (const OptionGroup& group : command.groups) {
    for (const OptionReference& option : group.options) visit(option);
  }
}

// The path of the program; empty if it is not installed.
std::string Installed(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
    if (access((folder + program).c_str(), X_OK) == 0) return folder + program;
  }
  return "";
}

TEST(Manual, IsThatOfThisCommandLine) {
  const CommandReference program = Program();
  EXPECT_EQ(Read(kManual / "man1/pmdex.1"), RenderManPage(program, PMDEX_VERSION));
  for (const CommandReference& command : program.commands) {
    EXPECT_EQ(Read(kManual / "man1" / ManPageName(command)), RenderManPage(command, PMDEX_VERSION));
  }
  EXPECT_EQ(Read(kManual / "bash/pmdex"), RenderBashCompletion(program));
  EXPECT_EQ(Read(kManual / "zsh/_pmdex"), RenderZshCompletion(program));
  EXPECT_EQ(Read(kManual / "fish/pmdex.fish"), RenderFishCompletion(program));
}

TEST(Manual, NamesEveryCommandAndOption) {
  const CommandReference program = Program();
  const std::string bash = RenderBashCompletion(program);
  const std::string zsh = RenderZshCompletion(program);
  const std::string fish = RenderFishCompletion(program);
  for (const CommandReference& command : program.commands) {
    const std::string page = RenderManPage(command, "1");
    const std::string name = command.name.substr(command.name.find(' ') + 1);
    std::string in_page_of_program = "pmdex\\-";  // a hyphen is "\\-" there
    for (const char c : name) in_page_of_program += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_NE(RenderManPage(program, "1").find(in_page_of_program), std::string::npos) << name;
    ForEachOption(command, [&](const OptionReference& option) {
      for (const std::string& flag : option.names) {
        EXPECT_NE(bash.find(flag), std::string::npos) << flag;
        EXPECT_NE(zsh.find(flag), std::string::npos) << flag;
        const std::string in_fish =
            flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
        EXPECT_NE(fish.find("seen_subcommand_from " + name + "'"), std::string::npos) << name;
        EXPECT_NE(fish.find(in_fish), std::string::npos) << flag;
        std::string in_page;
        for (const char c : flag) in_page += c == '-' ? "\\-" : std::string(1, c);
        EXPECT_NE(page.find("\\fB" + in_page + "\\fR"), std::string::npos) << flag;
      }
    });
  }
}

TEST(ManPage, TurnsNothingIntoARequest) {
  CommandReference command;
  command.name = "pmdex test";
  command.summary = ".a\\b";
  command.notes = {{"Notes", {{false, "'quoted"}, {true, ".x\n  y"}}}};
  const std::string page = RenderManPage(command, "1");
  EXPECT_NE(page.find("\n\\&'quoted\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n\\&.x\n  y\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\&.a\\eb"), std::string::npos) << page;
}

// Asks bash itself, which sources the completion script.
class BashCompletion : public testing::Test {
 protected:
  void SetUp() override {
    if (Installed("bash").empty()) GTEST_SKIP() << "bash is not installed";
    directory_.Write("some-file", "");
    fs::create_directory(directory_ / "some-folder");
  }

  // The words with which bash completes the last of these words.
  std::vector<std::string> Completions(const std::vector<std::string>& words) const {
    std::vector<std::string> arguments = {
        Installed("bash"), "--norc", "-c",
        "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
        "_pmdex pmdex \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; "
        "printf '%s\\n' \"${COMPREPLY[@]}\"",
        kManual / "bash/pmdex"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    ProgramOptions options;
    options.directory = directory_.path();
    const ProgramResult result = RunProgram(arguments, options);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    std::vector<std::string> offers;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) offers.push_back(line);
    }
    return offers;
  }

  TemporaryDirectory directory_;
};

TEST_F(BashCompletion, OffersCommandsOptionsWordsAndFiles) {
  EXPECT_THAT(Completions({"pmdex", "in"}), ElementsAre("index", "info", "intersect"));
  EXPECT_THAT(Completions({"pmdex", "help", "ver"}), ElementsAre("verify"));
  EXPECT_THAT(Completions({"pmdex", "--v"}), ElementsAre("--version"));
  EXPECT_THAT(Completions({"pmdex", "index", "--app"}), ElementsAre("--append"));
  EXPECT_THAT(Completions({"pmdex", "search", "--app"}), ElementsAre());
  EXPECT_THAT(Completions({"pmdex", "index", "--analyzer", ""}),
              ElementsAre("standard", "whitespace", "english", "log"));
  EXPECT_THAT(Completions({"pmdex", "index", "--analyzer", "=", "e"}), ElementsAre("english"));
  EXPECT_THAT(Completions({"pmdex", "index", "--analyzer", "="}), Contains("log"));
  EXPECT_THAT(Completions({"pmdex", "index", "--index", "some"}), ElementsAre("some-folder"));
  EXPECT_THAT(Completions({"pmdex", "index", "--json", "some"}),
              testing::UnorderedElementsAre("some-file", "some-folder"));
  EXPECT_THAT(Completions({"pmdex", "search", "--queries", "some-fi"}), ElementsAre("some-file"));
  EXPECT_THAT(Completions({"pmdex", "search", "some"}), ElementsAre()) << "a query is not a file";
  EXPECT_THAT(Completions({"pmdex", "search", "-k", ""}), ElementsAre());
}

TEST(Manual, IsTakenByZsh) {
  if (Installed("zsh").empty()) GTEST_SKIP() << "zsh is not installed";
  const ProgramResult result = RunProgram({Installed("zsh"), "-n", kManual / "zsh/_pmdex"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.err, "");
}

TEST(Manual, IsTakenByFishWhichOffersWords) {
  if (Installed("fish").empty()) GTEST_SKIP() << "fish is not installed";
  const TemporaryDirectory home;
  ProgramOptions options;
  options.environment = {"HOME=" + home.path(), "XDG_DATA_HOME=" + home.path(),
                         "XDG_CONFIG_HOME=" + home.path()};
  const std::string script = "source " + (kManual / "fish/pmdex.fish").string() +
                             "; complete -C 'pmdex index --analyzer '; complete -C 'pmdex ver'";
  const ProgramResult result =
      RunProgram({Installed("fish"), "--no-config", "-c", script}, options);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_NE(result.out.find("english"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("verify"), std::string::npos) << result.out;
}

TEST(Manual, IsTakenByGroffWithoutAWarning) {
  if (Installed("groff").empty()) GTEST_SKIP() << "groff is not installed";
  for (const auto& page : fs::directory_iterator(kManual / "man1")) {
    const ProgramResult result =
        RunProgram({Installed("groff"), "-man", "-Tutf8", "-ww", "-z", page.path()});
    EXPECT_EQ(result.exit_status, 0) << page.path();
    EXPECT_EQ(result.err, "") << page.path();
  }
}

TEST(Manual, IsInstalled) {
  const TemporaryDirectory prefix;
  const ProgramResult result =
      RunProgram({PMDEX_CMAKE, "--install", PMDEX_BUILD_DIR, "--prefix", prefix.path()});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  std::vector<std::string> files = {
      "bin/pmdex", "share/man/man1/pmdex.1", "share/bash-completion/completions/pmdex",
      "share/zsh/site-functions/_pmdex", "share/fish/vendor_completions.d/pmdex.fish"};
  for (const CommandReference& command : Program().commands) {
    files.push_back("share/man/man1/" + ManPageName(command));
  }
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(prefix / file)) << file;
}

}  // namespace manual_test
}  // namespace pmdex
