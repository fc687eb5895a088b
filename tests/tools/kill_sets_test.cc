// `pmdex copy`, `union` and `split` that are killed or interrupted at random moments. The indexes
// that they read stay as they are. The new index is whole, or the same command line makes it.
//
// PMDEX_KILLS=N kills each command N times instead of a few.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/support/background_program.h"
#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace kill_sets_test {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

class KillSets : public testing::Test {
 protected:
  static constexpr uint64_t kDocuments = 60;  // of each index
  static constexpr int kSegments = 12;

  KillSets() {
    Build("a");
    Build("b");
  }
  void Build(const std::string& name) {
    for (int segment = 0; segment < kSegments; ++segment) {
      std::string lines;
      for (uint64_t i = 0; i < kDocuments / kSegments; ++i) {
        absl::StrAppend(&lines, "{\"id\": \"", name, segment, "-", i, "\", \"t\": \"common\"}\n");
      }
      Arguments arguments = {PMDEX_BINARY, "index",    root_.Write("in.jsonl", lines),
                             "--index",    Path(name), "--quiet"};
      if (segment > 0) arguments.emplace_back("--append");
      const ProgramResult result = RunProgram(arguments);
      EXPECT_EQ(result.exit_status, 0) << result.err;
    }
  }
  std::string Path(const std::string& name) const { return root_ / name; }
  Arguments Copy() const {
    return {PMDEX_BINARY, "copy", Path("out"), "--index", Path("a"), "--quiet"};
  }
  Arguments Union() const {
    return {PMDEX_BINARY, "union", Path("a"), Path("b"), "--index", Path("out"), "--quiet"};
  }
  Arguments Split() const {
    return {PMDEX_BINARY, "split", Path("a"), "--parts", "2", "--index", Path("out"), "--quiet"};
  }
  void ExpectWhole(const std::string& name, uint64_t documents) const {
    EXPECT_EQ(CountOf(Path(name), "common").value_or(0), documents) << name;
    const ProgramResult verified = RunProgram({PMDEX_BINARY, "verify", "--index", Path(name)});
    EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
  }
  // True if a command has begun to write segments of OUT.
  bool IsWriting() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(Path("out"), ignored)) {
      if (entry.path().filename().string().starts_with("segment-")) return true;
    }
    return false;
  }

  // The same command line after an interruption. Returns whether there was something left to do.
  bool ExpectItCanBeDone(const Arguments& arguments, uint64_t documents) {
    ExpectWhole("a", kDocuments);
    ExpectWhole("b", kDocuments);
    const bool was_published = CountOf(Path("out"), "common").ok();
    if (was_published) ExpectWhole("out", documents);
    const ProgramResult again = RunProgram(arguments);
    EXPECT_EQ(again.exit_status, was_published ? 1 : 0) << again.err;
    ExpectWhole("out", documents);
    EXPECT_EQ(UnlistedFiles(Path("out")), std::set<std::string>());
    return !was_published;
  }
  static uint64_t Kills() { return kIsSanitized ? 3 : ByEffort<uint64_t>(8, 60); }
  void KillAtRandom(const Arguments& arguments, uint64_t documents) {
    const Clock::time_point start = Clock::now();
    ASSERT_EQ(RunProgram(arguments).exit_status, 0);
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    const char* const wanted = std::getenv("PMDEX_KILLS");
    const uint64_t kills = wanted == nullptr ? Kills() : std::strtoull(wanted, nullptr, 10);
    for (uint64_t i = 0; i < kills && !HasFailure(); ++i) {
      SCOPED_TRACE(i);
      fs::remove_all(Path("out"));
      const auto moment = random_() % static_cast<uint64_t>(time.count());
      RunAndKill(arguments, std::chrono::microseconds(moment));
      ExpectItCanBeDone(arguments, documents);
    }
  }

  std::mt19937_64 random_{3};
  const TemporaryDirectory root_{FastTemporaryParent()};
};

TEST_F(KillSets, ACopyIsWholeOrCanBeMadeAgain) {
  KillAtRandom(Copy(), kDocuments);
}

TEST_F(KillSets, AUnionIsWholeOrCanBeMadeAgain) {
  KillAtRandom(Union(), 2 * kDocuments);
}

TEST_F(KillSets, PartsAreWholeOrCanBeMade) {
  const uint64_t kills = Kills();
  for (uint64_t i = 0; i < kills && !HasFailure(); ++i) {
    fs::remove_all(Path("out"));
    RunAndKill(Split(), std::chrono::microseconds(random_() % 60'000));
    ExpectWhole("a", kDocuments);
    for (const char* part : {"out/0", "out/1"}) {
      if (CountOf(Path(part), "common").ok()) ExpectWhole(part, kDocuments / 2);
    }
    // A part that is finished is not replaced.
    const bool has_part = CountOf(Path("out/0"), "common").ok();
    EXPECT_EQ(RunProgram(Split()).exit_status, has_part ? 1 : 0);
  }
}

// A signal ends the command between two segments, which may be after the last one. On a busy
// machine this process may see the first segment only when the copy is done, but not wake up late
// each time.
TEST_F(KillSets, ASignalEndsACopyWithItsStatus) {
  for (const int signal : {SIGINT, SIGTERM}) {
    bool is_interrupted = false;
    for (int attempt = 0; attempt < 200 && !is_interrupted && !HasFailure(); ++attempt) {
      fs::remove_all(Path("out"));
      BackgroundProgram copy(Copy());
      if (attempt % 2 == 0) {
        for (int i = 0; i < 1'000'000 && !IsWriting(); ++i) {
        }
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000));
      }
      copy.Signal(signal);
      const int status = copy.AwaitEnd();
      EXPECT_TRUE(status == 0 || status == 128 + signal) << status << copy.err();
      // Otherwise it came too late: the copy was done.
      if (copy.err().find("nothing is copied") == std::string::npos) continue;
      EXPECT_EQ(status, 128 + signal);
      EXPECT_TRUE(ExpectItCanBeDone(Copy(), kDocuments));
      is_interrupted = true;
    }
    EXPECT_TRUE(is_interrupted) << signal;
  }
}

}  // namespace kill_sets_test
}  // namespace pmdex
