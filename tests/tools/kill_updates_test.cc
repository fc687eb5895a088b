// Kills `pmdex delete` and `pmdex index --append --update` with SIGKILL at random moments. After
// each the index must hold what it held before or what it was to hold then, never a part of it, and
// --resume must finish what was begun.
//
// PMDEX_KILLS and PMDEX_KILL_SEED as in kill_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/live_documents.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace kill_updates_test {

using Arguments = std::vector<std::string>;
using Clock = std::chrono::steady_clock;
using Model = std::map<std::string, std::string>;
using std::chrono::microseconds;

class KillUpdates : public testing::Test {
 protected:
  // Counts the kills.
  bool RunAndKill(Arguments arguments, microseconds moment) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.insert(arguments.end(), {"--index", Store(), "--quiet"});
    const bool done = pmdex::RunAndKill(arguments, moment);
    if (!done) ++kills_;
    return done;
  }
  microseconds RandomMoment() {
    return microseconds(random_() % static_cast<uint64_t>(usual_.count() * 11 / 10 + 1));
  }
  void RunWhole(const Arguments& arguments) {
    const auto begin = Clock::now();
    ASSERT_TRUE(RunAndKill(arguments, std::chrono::minutes(5)));
    const auto took = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
    usual_ = usual_.count() == 0 ? took : (usual_ * 3 + took) / 4;
  }

  Model Live() {
    const auto directory = OpenFileDirectory(Store(), {});
    EXPECT_TRUE(directory.ok()) << directory.status();
    auto live = ReadLiveDocuments(**directory);
    EXPECT_TRUE(live.ok()) << live.status();
    return live.ok() ? *std::move(live) : Model();
  }

  // A batch of new versions of random ids, some of them twice.
  std::string WriteBatch(Model& after) {
    std::string lines;
    for (int i = 0; i < 150; ++i) {
      const std::string id = std::to_string(random_() % 400);
      after[id] = "version " + std::to_string(++versions_);
      lines += R"({"id": ")" + id + R"(", "t": ")" + after[id] + "\"}\n";
    }
    return directory_.Write("batch" + std::to_string(++batches_) + ".jsonl", lines);
  }

  void UpdateOnce() {
    Model after = model_;
    Arguments arguments = {"index", WriteBatch(after), "--append", "--update", "--memory",
                           "32M",   "--threads",       "2"};
    bool done = RunAndKill(arguments, RandomMoment());
    ExpectOneOf(after, done);
    if (!done && random_() % 2 == 0) {
      arguments.emplace_back("--resume");
      RunWhole(arguments);
      ExpectOneOf(after, true);
    }
  }
  void DeleteOnce() {
    Model after = model_;
    std::string ids;
    for (const auto& [id, text] : model_) {
      if (random_() % 4 != 0) continue;
      ids += id + "\n";
      after.erase(id);
    }
    const std::string file = directory_.Write("ids", ids);
    // A build that was killed would be dropped; delete refuses that.
    if (HasUnfinishedWork(Store())) RunWhole({"index", Empty(), "--append", "--update"});
    ExpectOneOf(after, RunAndKill({"delete", "--ids", file}, RandomMoment()));
  }
  std::string Empty() { return directory_.Write("empty.jsonl", ""); }

  void ExpectOneOf(const Model& after, bool done) {
    const Model live = Live();
    EXPECT_TRUE(live == after || (!done && live == model_)) << live.size() << " documents";
    model_ = live;
  }

  std::string Store() const { return directory_ / "store"; }

  const TemporaryDirectory directory_{FastTemporaryParent()};
  std::mt19937_64 random_{FromEnvironment("PMDEX_KILL_SEED", 1)};
  microseconds usual_{0};  // duration of a run that was not killed
  Model model_;
  uint64_t versions_ = 0;
  uint64_t batches_ = 0;
  uint64_t kills_ = 0;
};

TEST_F(KillUpdates, AreDoneWholeOrNotAtAll) {
  const uint64_t wanted =
      FromEnvironment("PMDEX_KILLS", kIsSanitized ? 5 : ByEffort<uint64_t>(15, 100));
  RunWhole({"index", WriteBatch(model_), "--update", "--store", "on", "--memory", "32M"});
  EXPECT_TRUE(Live() == model_);
  while (kills_ < wanted && !HasFailure()) {
    SCOPED_TRACE("kill " + std::to_string(kills_));
    random_() % 3 == 0 ? DeleteOnce() : UpdateOnce();
  }
  RunWhole({"index", Empty(), "--append", "--update"});
  EXPECT_TRUE(Live() == model_);
  EXPECT_EQ(UnlistedFiles(Store()), std::set<std::string>());
  const ProgramResult verified = RunProgram({PMDEX_BINARY, "verify", "--index", Store()});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
}

}  // namespace kill_updates_test
}  // namespace pmdex
