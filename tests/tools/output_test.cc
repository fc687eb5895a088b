// What happens if output cannot be written: one line of error and exit status 1, or no message if
// the reader of a pipe has closed it.
#include "tools/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace output_test {

class OutputTest : public testing::Test {
 protected:
  OutputTest() {
    directory_.Write("tree/a.txt", "The quick brown fox.\n");
    EXPECT_EQ(Run({"index", "tree", "--quiet"}).exit_status, 0);
  }

  // Runs pmdex in the test's directory. The child process calls `prepare` first.
  ProgramResult Run(std::vector<std::string> arguments, const std::function<void()>& prepare = {}) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    options.prepare = prepare;
    return RunProgram(arguments, options);
  }

  static void ExpectOneErrorLine(const ProgramResult& result, const std::string& reason) {
    EXPECT_EQ(result.exit_status, 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("pmdex: error: standard output: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
  }

  // All commands that write to stdout.
  static std::vector<std::vector<std::string>> Commands() {
    return {{"search", "fox"},
            {"search", "fox", "--json"},
            {"info"},
            {"info", "--json"},
            {"verify"},
            {"verify", "--json"},
            {"doctor", "."},
            {"index", "tree", "--overwrite"},
            {"index", "tree", "--overwrite", "--json"},
            {"watch", "tree", "--once"},
            {"watch", "tree", "--once", "--json"},
            {"find", "tree"},
            {"help"},
            {"search", "--help"},
            {"--version"}};
  }

  TemporaryDirectory directory_;
};

TEST_F(OutputTest, AFullDeviceIsAnErrorOfEveryCommand) {
  for (const auto& command : Commands()) {
    SCOPED_TRACE(command.back());
    ExpectOneErrorLine(Run(command, [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }),
                       "No space left");
  }
}

TEST_F(OutputTest, AClosedStandardOutputIsAnErrorOfEveryCommand) {
  for (const auto& command : Commands()) {
    SCOPED_TRACE(command.back());
    ExpectOneErrorLine(Run(command, [] { close(STDOUT_FILENO); }), "Bad file descriptor");
  }
}

TEST_F(OutputTest, NoFileOfTheIndexBecomesTheOutputWhereDescriptorsAreClosed) {
  const ProgramResult result = Run({"index", "tree", "--overwrite", "--json"}, [] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
  });
  EXPECT_EQ(result.exit_status, 1);
  const ProgramResult verified = Run({"verify"});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
  EXPECT_EQ(UnlistedFiles(directory_ / "pmdex-index"), std::set<std::string>());
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "pmdex-index")) {
    if (entry.path().filename() != "write.lock") continue;
    EXPECT_EQ(entry.file_size(), 0u);
  }
}

// A pipe whose reader has closed it, as with `| head`.
void BreakOutput() {
  int ends[2];
  if (pipe(ends) != 0) _exit(125);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OutputTest, AReaderThatHasGoneAwayEndsTheProgramQuietly) {
  for (const bool ignored : {false, true}) {
    const ProgramResult result = Run({"search", "fox"}, [ignored] {
      signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
      BreakOutput();
    });
    EXPECT_EQ(result.exit_status, 128 + SIGPIPE) << "SIGPIPE ignored: " << ignored;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(OutputTest, AClosedStandardInputIsAnErrorWhereItIsTheInput) {
  const auto closed = [] { close(STDIN_FILENO); };
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"index", "-", "--index", "new"}, {"search", "--queries", "-"}}) {
    const ProgramResult result = Run(command, closed);
    EXPECT_EQ(result.exit_status, 1) << command[0];
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
  }
}

TEST_F(OutputTest, AnErrorOfTheCommandKeepsItsStatus) {
  const auto full = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  EXPECT_EQ(Run({"search", "("}, full).exit_status, 2);
  EXPECT_EQ(Run({"search", "fox", "--index", "nowhere"}, full).exit_status, 1);
}

}  // namespace output_test
}  // namespace pmdex
