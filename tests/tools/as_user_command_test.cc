// Searches of two users by the program, with rights that were indexed and rights of today.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/access_list.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace as_user_command_test {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kAlice[] = "61001";
constexpr char kBob[] = "61002";

class AsUserCommand : public testing::Test {
 protected:
  AsUserCommand() { chmod(directory_.path().c_str(), 0755); }

  ProgramResult Run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.input = input;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  json Search(const std::string& user, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"search", "--json", "--as-user", user});
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out);
  }
  static std::vector<std::string> Ids(const json& answer) {
    std::vector<std::string> ids;
    for (const json& hit : answer["hits"]) ids.push_back(hit["id"]);
    return ids;
  }
  // A file that is there, with the rights that it had when it was indexed.
  std::string Line(const std::string& name, const std::string& access) {
    directory_.Write(name, "text");
    chmod((directory_ / name).c_str(), 0644);
    return json{{"id", name},
                {"body", "fox " + name},
                {"kind", name.substr(0, 1)},
                {"access", access}}
               .dump() +
           "\n";
  }
  void Build(const std::string& lines) {
    directory_.Write("schema.toml",
                     "[fields.access]\ntype = \"keyword\"\n"
                     "[fields.kind]\ntype = \"keyword\"\n");
    const ProgramResult result =
        Run({"index", "--schema", "schema.toml", "--store", "on", "--quiet", "-"}, lines);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  TemporaryDirectory directory_;
};

TEST_F(AsUserCommand, ShowsAndCountsEachUserWhatItCouldRead) {
  Build(Line("all", "0:0:0644|0:0:0755") + Line("alice", "61001:1:0600|0:0:0755") +
        Line("bob", "0:0:0600:user::rw-,user:61002:r--,group::---,mask::r--,other::---|0:0:0755") +
        Line("none", "0:0:0644|0:0:0700") + "{\"id\": \"line\", \"body\": \"fox\"}\n");
  const std::vector<std::string> query = {"--count", "--facet", "kind", "--snippets", "fox"};
  const json alice = Search(kAlice, query);
  EXPECT_THAT(Ids(alice), ElementsAre("all", "alice"));
  EXPECT_EQ(alice["total"]["value"], 2);
  EXPECT_EQ(alice["facets"][0]["buckets"].size(), 1u) << alice["facets"];
  const json bob = Search(kBob, query);
  EXPECT_THAT(Ids(bob), ElementsAre("all", "bob"));
  EXPECT_THAT(bob["hits"][1]["snippet"].dump(), HasSubstr("bob"));
  EXPECT_EQ(Search("0", query)["total"]["value"], 5);
}

TEST_F(AsUserCommand, LeavesOutWhatTheUserCannotReadAnyMore) {
  Build(Line("d/a", "0:0:0644|0:0:0755") + Line("d/b", "0:0:0644|0:0:0755") +
        Line("e/c", "0:0:0644|0:0:0755") + Line("gone", "0:0:0644|0:0:0755"));
  std::filesystem::remove(directory_ / "gone");
  chmod((directory_ / "d").c_str(), 0755);
  chmod((directory_ / "e").c_str(), 0755);
  const std::vector<std::string> query = {"--count", "fox"};
  EXPECT_EQ(Search(kBob, query)["total"]["value"], 4);
  chmod((directory_ / "d/a").c_str(), 0600);
  EXPECT_THAT(Ids(Search(kBob, query)), ElementsAre("gone", "d/b", "e/c"));
  chmod((directory_ / "d").c_str(), 0700);
  const json bob = Search(kBob, query);
  EXPECT_THAT(Ids(bob), ElementsAre("gone", "e/c"));
  EXPECT_EQ(bob["total"]["value"], 2);
  const json first = Search(kBob, {"-k", "1", "fox"});
  EXPECT_THAT(Ids(first), ElementsAre("gone"));
  EXPECT_LE(first["total"]["value"], 2);
}

// A user who may write to a directory puts a link in the place of a file.
TEST_F(AsUserCommand, IsNotFooledByLinks) {
  Build(Line("secret/a", "0:0:0600|0:0:0755") + Line("open/b", "0:0:0644|0:0:0755"));
  chmod((directory_ / "secret").c_str(), 0700);
  chmod((directory_ / "open").c_str(), 0755);
  std::filesystem::remove(directory_ / "secret/a");
  std::filesystem::create_symlink("../open/b", directory_ / "secret/a");
  EXPECT_THAT(Ids(Search(kBob, {"fox"})), ElementsAre("open/b")) << "what was indexed decides";
  std::filesystem::rename(directory_ / "open", directory_ / "moved");
  std::filesystem::create_directory_symlink("secret", directory_ / "open");
  directory_.Write("secret/b", "text");
  chmod((directory_ / "secret/b").c_str(), 0644);
  EXPECT_THAT(Ids(Search(kBob, {"fox"})), ElementsAre()) << "it lies behind a closed directory";
}

// An input that is a link, and a file in whose place a link is put.
TEST_F(AsUserCommand, JudgesAFileThatIsALinkByItsTarget) {
  for (const char* name : {"d/target", "d/file", "shut/file"}) {
    directory_.Write(name, "fox");
    chmod((directory_ / name).c_str(), 0644);
  }
  chmod((directory_ / "d").c_str(), 0755);
  chmod((directory_ / "shut").c_str(), 0700);
  std::filesystem::create_symlink("d/target", directory_ / "link");
  ASSERT_EQ(Run({"index", "--format", "files", "--quiet", directory_ / "link", directory_ / "d"})
                .exit_status,
            0);
  const auto ids = [this] {
    std::vector<std::string> found = Ids(Search(kBob, {"fox"}));
    for (std::string& id : found) id = id.substr(directory_.path().size() + 1);
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_THAT(ids(), ElementsAre("d/file", "d/target", "link"));
  chmod((directory_ / "d/target").c_str(), 0600);
  EXPECT_THAT(ids(), ElementsAre("d/file"));
  std::filesystem::remove(directory_ / "d/file");
  std::filesystem::create_symlink("../shut/file", directory_ / "d/file");
  EXPECT_THAT(ids(), ElementsAre());
}

// The list of a directory lets Bob search it, and nobody else.
TEST_F(AsUserCommand, MindsTheListOfADirectory) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files that it shows to others";
  for (const char* name : {"listed/file", "shut/file"}) {
    directory_.Write(name, "fox");
    chmod((directory_ / name).c_str(), 0644);
  }
  const std::string listed = directory_ / "listed";
  chmod(listed.c_str(), 0700);
  chmod((directory_ / "shut").c_str(), 0700);
  const std::string list = AccessListOf(7, 61002, 1);
  if (setxattr(listed.c_str(), kAccessListAttribute, list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "no lists of access here: " << std::strerror(errno);
  }
  ASSERT_EQ(Run({"index", "--quiet", "--format", "files", listed, directory_ / "shut"}).exit_status,
            0);
  EXPECT_THAT(Ids(Search(kBob, {"fox"})), ElementsAre(listed + "/file"));
  EXPECT_THAT(Ids(Search(kAlice, {"fox"})), ElementsAre());
  // A right that came later does not show what was hidden, and one that is gone hides.
  const std::string shut = directory_ / "shut";
  ASSERT_EQ(setxattr(shut.c_str(), kAccessListAttribute, list.data(), list.size(), 0), 0);
  EXPECT_THAT(Ids(Search(kBob, {"fox"})), ElementsAre(listed + "/file"));
  ASSERT_EQ(removexattr(listed.c_str(), kAccessListAttribute), 0);
  ASSERT_EQ(chmod(listed.c_str(), 0700), 0);
  EXPECT_THAT(Ids(Search(kBob, {"fox"})), ElementsAre());
}

TEST_F(AsUserCommand, FindsAndMeasuresFilesAsTheUserCould) {
  namespace fs = std::filesystem;
  for (const char* name : {"open/a", "open/b", "shut/c"}) directory_.Write(name, "text");
  chmod((directory_ / "open").c_str(), 0755);
  chmod((directory_ / "open/a").c_str(), 0644);
  chmod((directory_ / "open/b").c_str(), 0600);
  chmod((directory_ / "shut").c_str(), 0700);
  chmod((directory_ / "shut/c").c_str(), 0644);
  fs::create_symlink("../shut/c", directory_ / "open/link");
  const std::string open = fs::canonical(directory_ / "open");
  const std::string shut = fs::canonical(directory_ / "shut");
  ASSERT_EQ(Run({"index", "--attributes", "--quiet", open, shut}).exit_status, 0);
  EXPECT_EQ(Run({"find", "--as-user", kBob, "-type", "f"}).out, open + "/a\n");
  EXPECT_THAT(Run({"find", "-type", "f"}).out, HasSubstr(shut + "/c\n"));
  EXPECT_EQ(Run({"find", "--as-user", kBob, shut}).exit_status, 1)
      << "nothing tells that it exists";
  EXPECT_THAT(Run({"du", "-a", "-b", "--as-user", kBob, open}).out,
              HasSubstr("4\t" + open + "/a\n"));
  EXPECT_THAT(Run({"du", "-a", "-b", "--as-user", kBob, open}).out,
              testing::Not(HasSubstr("/b\n")));
  EXPECT_THAT(Ids(Search(kBob, {"text"})), ElementsAre(open + "/a"));
  EXPECT_EQ(Run({"find", "--as-user", kBob, "-type", "l"}).out, open + "/link\n")
      << "all may read a link";
  EXPECT_EQ(Run({"find", "--as-user", "no-such-user-here"}).exit_status, 2);
  chmod((directory_ / "open/a").c_str(), 0600);
  EXPECT_EQ(Run({"find", "--as-user", kBob, "-type", "f"}).out, "") << "the rights of today count";
}

TEST_F(AsUserCommand, TakesNoTimesOfFilesThatTheUserCannotRead) {
  for (const char* name : {"open/a", "other/b", "shut/c"}) {
    directory_.Write(name, "text");
    chmod((directory_ / name).c_str(), 0644);
    const timespec old[2] = {{5, 0}, {5, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory_ / name).c_str(), old, 0), 0);
  }
  for (const char* name : {"open", "other"}) chmod((directory_ / name).c_str(), 0755);
  chmod((directory_ / "shut").c_str(), 0700);
  const std::string open = std::filesystem::canonical(directory_ / "open");
  ASSERT_EQ(Run({"index", "--attributes", "--quiet", open}).exit_status, 0);
  const auto find = [&](const std::string& user, const char* newer) {
    return Run({"find", "--as-user", user, open, "!", "-newer", newer, "-type", "f"});
  };
  EXPECT_EQ(find(kBob, "other/b").out, open + "/a\n");
  EXPECT_EQ(find("0", "shut/c").out, open + "/a\n");
  const ProgramResult shut = find(kBob, "shut/c");
  EXPECT_EQ(shut.exit_status, 1);
  EXPECT_EQ(shut.out, "");
  EXPECT_THAT(shut.err, HasSubstr("No such file")) << "nothing tells that it exists";
}

TEST_F(AsUserCommand, RefusesAUserThatTheMachineDoesNotKnow) {
  Build(Line("all", "0:0:0644|0:0:0755"));
  const ProgramResult result = Run({"search", "--as-user", "no-such-user-here", "fox"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("no-such-user-here"));
}

}  // namespace as_user_command_test
}  // namespace pmdex
