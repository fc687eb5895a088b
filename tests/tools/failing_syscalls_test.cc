// The program on a file system whose n-th system call fails, for every n until a run has no failing
// call (in the small size: every ninth call). The program must print one line of error or succeed,
// and never end by a signal. Published documents must stay, and the next writer must clean up.
// tests/support/failing_syscalls.cc makes the calls fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace failing_syscalls_test {

namespace fs = std::filesystem;

constexpr int kShortWrite = 0;  // in place of an errno
constexpr uint64_t kMostCalls = 2000;

// A command, and the numbers of documents that the index may have after it.
struct Scenario {
  std::string name;
  std::vector<std::string> arguments;
  bool prepared;  // runs on a store of `before` documents, otherwise on none
  uint64_t before;
  uint64_t after;
};

class FailingSyscalls : public testing::Test {
 protected:
  static constexpr uint64_t kBatchDocuments = 3;

  void SetUp() override {
    if (std::string(PMDEX_FAILING_SYSCALLS).empty()) {
      GTEST_SKIP() << "a sanitizer must come first among the preloaded libraries";
    }
    for (const char* batch : {"first", "second", "third", "fourth"}) {
      std::string lines;
      for (uint64_t i = 0; i < kBatchDocuments; ++i) {
        lines += "{\"id\":\"" + std::string(batch) + std::to_string(i) + "\",\"body\":\"common " +
                 batch + "\"}\n";
      }
      directory_.Write(std::string(batch) + ".jsonl", lines);
    }
    // Two generations, and the manifest of the first one, as if a writer died while it cleaned up.
    // Nobody may step back to that manifest.
    ASSERT_EQ(Run({"index", Batch("first")}, Prepared()).exit_status, 0);
    const std::string manifest = NewestManifest(Prepared());
    fs::copy_file(manifest, directory_ / "kept");
    ASSERT_EQ(Run({"index", "--append", Batch("second")}, Prepared()).exit_status, 0);
    fs::copy_file(directory_ / "kept", manifest);
    ASSERT_EQ(CountOf(Prepared(), "common").value(), 2 * kBatchDocuments);
  }

  std::string Batch(const std::string& name) const { return directory_ / (name + ".jsonl"); }
  std::string Prepared() const { return directory_ / "prepared"; }
  std::string Store() const { return directory_ / "store"; }
  std::string Mark() const { return directory_ / "mark"; }

  ProgramResult Run(std::vector<std::string> arguments, const std::string& store,
                    std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.insert(arguments.end(), {"--index", store, "--quiet"});
    if (arguments[1] == "index") {
      // With one indexer the calls come in the same order in every run.
      arguments.insert(arguments.end(), {"--threads", "1", "--memory", "32M"});
    }
    ProgramOptions options;
    options.environment = std::move(environment);
    return RunProgram(arguments, options);
  }

  ProgramResult RunFailing(const Scenario& scenario, uint64_t n, int error) {
    fs::remove(Mark());
    fs::remove_all(Store());
    if (scenario.prepared) fs::copy(Prepared(), Store(), fs::copy_options::recursive);
    return Run(scenario.arguments, Store(), FailingAt(n, error));
  }
  std::vector<std::string> FailingAt(uint64_t n, int error) const {
    return {std::string("LD_PRELOAD=") + PMDEX_FAILING_SYSCALLS, "PMDEX_FAIL_BELOW=" + Store(),
            "PMDEX_FAIL_AT=" + std::to_string(n), "PMDEX_FAIL_ERRNO=" + std::to_string(error),
            "PMDEX_FAIL_MARK=" + Mark()};
  }

  // The call that failed; empty if none did.
  std::string FailedCall() const {
    std::ifstream file(Mark());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  static void ExpectCleanEnd(const ProgramResult& result) {
    if (result.exit_status == 0) {
      EXPECT_EQ(result.err, "");
      return;
    }
    // 3, because verify reports damage if the medium fails while it reads.
    EXPECT_TRUE(result.exit_status == 1 || result.exit_status == 3) << result.exit_status;
    // A segment that cannot be opened makes an answer partial, not an error.
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ") ||
                (result.exit_status == 1 && result.err.starts_with("pmdex: warning: ") &&
                 result.err.find(" missing: ") != std::string::npos))
        << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  // Checks what a search finds afterwards, and that the next writer continues and cleans up.
  void ExpectWholeStore(const Scenario& scenario, const ProgramResult& result) {
    const auto found = CountOf(Store(), "common");
    uint64_t documents = 0;
    if (found.ok()) {
      documents = *found;
      EXPECT_TRUE(documents == scenario.after ||
                  (result.exit_status != 0 && documents == scenario.before))
          << documents << " documents after exit status " << result.exit_status;
    } else {
      EXPECT_TRUE(absl::IsNotFound(found.status()) && !scenario.prepared && result.exit_status != 0)
          << found.status();
    }
    std::vector<std::string> next = {"index", Batch("fourth")};
    if (found.ok()) next.push_back("--append");
    const ProgramResult written = Run(next, Store());
    ASSERT_EQ(written.exit_status, 0) << written.err;
    EXPECT_EQ(CountOf(Store(), "common").value(), documents + kBatchDocuments);
    EXPECT_EQ(UnlistedFiles(Store()), std::set<std::string>());
  }

  // Returns a lower bound of the number of calls that a run without failures makes.
  uint64_t FailEverywhere(const Scenario& scenario, int error) {
    for (uint64_t n = 1; n <= kMostCalls; n += ByEffort<uint64_t>(9, 1)) {
      const ProgramResult result = RunFailing(scenario, n, error);
      const std::string call = FailedCall();
      SCOPED_TRACE(scenario.name + ", errno " + std::to_string(error) + ", call " +
                   std::to_string(n) + ": " + call + "\n" + result.err);
      ExpectCleanEnd(result);
      if (call.empty()) {
        EXPECT_EQ(result.exit_status, 0);
        return n - ByEffort<uint64_t>(9, 1);
      }
      EXPECT_TRUE(scenario.name != "verify" || result.exit_status != 0);
      if (scenario.name == "search" && result.exit_status == 0) {
        EXPECT_NE(result.out.find("\"total\":{\"value\":" + std::to_string(scenario.after)),
                  std::string::npos)
            << result.out;
      }
      const bool only_reads =
          scenario.arguments[0] == "search" || scenario.arguments[0] == "verify";
      if (!only_reads) ExpectWholeStore(scenario, result);
      if (HasFailure()) return n;
    }
    ADD_FAILURE() << scenario.name << " never ends untouched";
    return kMostCalls;
  }

  // The same for a command that makes the index Store() of others.
  uint64_t FailNewSet(std::vector<std::string> arguments, uint64_t documents, int error) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.emplace_back("--quiet");
    for (uint64_t n = 1; n <= kMostCalls && !HasFailure(); n += ByEffort<uint64_t>(9, 1)) {
      fs::remove(Mark());
      fs::remove_all(Store());
      ProgramOptions failing;
      failing.environment = FailingAt(n, error);
      const ProgramResult result = RunProgram(arguments, failing);
      const std::string call = FailedCall();
      SCOPED_TRACE(arguments[1] + ", errno " + std::to_string(error) + ", call " +
                   std::to_string(n) + ": " + call + "\n" + result.err);
      ExpectCleanEnd(result);
      const auto found = CountOf(Store(), "common");
      if (found.ok()) {
        EXPECT_EQ(*found, documents);
      } else {
        EXPECT_TRUE(absl::IsNotFound(found.status()) && result.exit_status != 0) << found.status();
      }
      // An index that is there is not replaced.
      EXPECT_EQ(RunProgram(arguments).exit_status, found.ok() ? 1 : 0);
      EXPECT_EQ(CountOf(Store(), "common").value_or(0), documents);
      if (call.empty()) return n - ByEffort<uint64_t>(9, 1);
    }
    ADD_FAILURE() << arguments[1] << " never ends untouched";
    return kMostCalls;
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
};

TEST_F(FailingSyscalls, LeaveAWholeNewIndexOrNone) {
  const Scenario scenario = {"index", {"index", Batch("third")}, false, 0, kBatchDocuments};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(40u, 50u));
  EXPECT_GE(FailEverywhere(scenario, kShortWrite), ByEffort(1u, 5u));
}

TEST_F(FailingSyscalls, LoseNothingWhenAppending) {
  const Scenario scenario = {"append",
                             {"index", "--append", Batch("third")},
                             true,
                             2 * kBatchDocuments,
                             3 * kBatchDocuments};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(40u, 50u));
  EXPECT_GE(FailEverywhere(scenario, ENOSPC), ByEffort(40u, 50u));
  EXPECT_GE(FailEverywhere(scenario, kShortWrite), ByEffort(1u, 5u));
}

TEST_F(FailingSyscalls, LeaveTheOldOrTheNewWhenOverwriting) {
  EXPECT_GE(FailEverywhere({"overwrite",
                            {"index", "--overwrite", Batch("third")},
                            true,
                            2 * kBatchDocuments,
                            kBatchDocuments},
                           EIO),
            ByEffort(40u, 50u));
}

TEST_F(FailingSyscalls, LoseNothingWhenMerging) {
  const Scenario scenario = {
      "merge", {"merge", "--max-segments", "1"}, true, 2 * kBatchDocuments, 2 * kBatchDocuments};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(20u, 30u));
  EXPECT_GE(FailEverywhere(scenario, ENOSPC), ByEffort(20u, 30u));
}

TEST_F(FailingSyscalls, LoseOnlyWhatIsDeleted) {
  const Scenario scenario = {
      "delete", {"delete", "first0"}, true, 2 * kBatchDocuments, 2 * kBatchDocuments - 1};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(20u, 30u));
}

TEST_F(FailingSyscalls, KeepOneOfBothVersionsWhenUpdating) {
  std::string lines;  // the first documents, and two that are new
  for (uint64_t i = 0; i < kBatchDocuments + 2; ++i) {
    lines += "{\"id\":\"first" + std::to_string(i) + "\",\"body\":\"common newer\"}\n";
  }
  directory_.Write("newer.jsonl", lines);
  const Scenario scenario = {"update",
                             {"index", "--append", "--update", Batch("newer")},
                             true,
                             2 * kBatchDocuments,
                             2 * kBatchDocuments + 2};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(40u, 50u));
}

TEST_F(FailingSyscalls, LoseNothingWhenChangingTheTier) {
  const Scenario scenario = {
      "demote", {"tier", "demote", "--all"}, true, 2 * kBatchDocuments, 2 * kBatchDocuments};
  EXPECT_GE(FailEverywhere(scenario, EIO), ByEffort(20u, 30u));
  EXPECT_GE(FailEverywhere(scenario, kShortWrite), ByEffort(1u, 5u));
}

// A command that makes the index OUT of others: whole, or the same command line can be run again.
TEST_F(FailingSyscalls, LeaveAWholeNewSetOrNone) {
  fs::copy(Prepared(), directory_ / "a", fs::copy_options::recursive);
  ASSERT_EQ(Run({"index", Batch("third")}, directory_ / "b").exit_status, 0);
  const std::vector<std::pair<std::vector<std::string>, uint64_t>> commands = {
      {{"copy", Store(), "--index", directory_ / "a"}, 2 * kBatchDocuments},
      {{"union", directory_ / "a", directory_ / "b", "--index", Store()}, 3 * kBatchDocuments}};
  for (const auto& [command, documents] : commands) {
    EXPECT_GE(FailNewSet(command, documents, EIO), ByEffort(20u, 30u));
    EXPECT_GE(FailNewSet(command, documents, ENOSPC), ByEffort(20u, 30u));
    EXPECT_GE(FailNewSet(command, documents, kShortWrite), ByEffort(1u, 5u));
    EXPECT_EQ(CountOf(directory_ / "a", "common").value(), 2 * kBatchDocuments);
    EXPECT_EQ(CountOf(directory_ / "b", "common").value(), kBatchDocuments);
  }
}

TEST_F(FailingSyscalls, GiveSearchTheRightAnswerOrAnError) {
  EXPECT_GE(FailEverywhere({"search",
                            {"search", "common", "--json", "--count"},
                            true,
                            2 * kBatchDocuments,
                            2 * kBatchDocuments},
                           EIO),
            ByEffort(1u, 10u));
}

TEST_F(FailingSyscalls, GiveVerifyAnErrorOrAFinding) {
  EXPECT_GE(
      FailEverywhere({"verify", {"verify"}, true, 2 * kBatchDocuments, 2 * kBatchDocuments}, EIO),
      ByEffort(1u, 10u));
}

}  // namespace failing_syscalls_test
}  // namespace pmdex
