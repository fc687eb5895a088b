#include "tools/child_process.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace child_process_test {

TEST(ChildProcess, CollectsOutputMessagesAndTheExitStatus) {
  const auto result = RunChild({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->messages, "err\n");
  EXPECT_EQ(result->exit_status, 3);
}

TEST(ChildProcess, ReportsTheSignalThatEndedTheChild) {
  const auto result = RunChild({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_status, 128 + 9);
}

TEST(ChildProcess, SaysThatAProgramIsMissing) {
  EXPECT_EQ(RunChild({"no-such-program-of-pmdex"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(ChildProcess, PassesArgumentsAsTheyAre) {
  const auto result = RunChild({"printf", "%s|", "a b", "$HOME", "`id`", "'\"\n"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "a b|$HOME|`id`|'\"\n|");
}

TEST(ChildProcess, RunsInTheDirectoryAndWithEmptyInput) {
  const TemporaryDirectory directory;
  ChildOptions options;
  options.directory = directory.path();
  const auto result = RunChild({"sh", "-c", "cat; pwd"}, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, directory.path() + "\n");
}

TEST(ChildProcess, ReadsMoreThanAPipeHolds) {
  const auto result =
      RunChild({"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out.size(), 300'000u);
  EXPECT_EQ(result->messages.size(), 300'000u);
}

TEST(ChildProcess, EndsAChildThatTakesTooLong) {
  ChildOptions options;
  options.time_limit = std::chrono::seconds(0);
  const auto result = RunChild({"sleep", "1000"}, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded) << result.status();
}

TEST(ChildProcess, EndsAChildThatClosesItsOutputAndGoesOn) {
  ChildOptions options;
  options.time_limit = std::chrono::seconds(0);
  const auto result = RunChild({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded) << result.status();
}

TEST(ChildProcess, EndsAChildThatPrintsTooMuch) {
  ChildOptions options;
  options.output_limit = 100'000;
  for (const char* script : {"cat /dev/zero", "cat /dev/zero >&2"}) {
    const auto result = RunChild({"sh", "-c", script}, options);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << result.status();
  }
  const auto fits = RunChild({"sh", "-c", "head -c 100000 /dev/zero"}, options);
  ASSERT_TRUE(fits.ok()) << fits.status();
  EXPECT_EQ(fits->out.size(), 100'000u);
}

}  // namespace child_process_test
}  // namespace pmdex
