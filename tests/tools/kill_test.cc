// Kills index, append, resume, merge and conversions between the tiers with SIGKILL at random
// moments while readers search all the time. Every answer must come from one generation that was or
// may have been acknowledged, nothing that was acknowledged may be lost, resumed documents must be
// there once, nothing may be damaged, and the next writer must clean up.
//
// PMDEX_KILLS (default 15, in full size 100) sets the number of kills, PMDEX_KILL_SEED (default 1)
// the seed; see tests/README.md. The seed decides what is run and when it is killed, but not how
// far the program has come by then.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace kill_test {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// The numbers of documents that a reader may see: that of the last known generation, and that of
// the one that a running writer may publish at any moment. Thread-safe.
class PossibleCounts {
 public:
  // From now on a reader may also see `count`.
  void Allow(uint64_t count) {
    const std::lock_guard lock(mutex_);
    log_.push_back(count);
  }
  // The writer has ended and left `count`: new readers may no longer see earlier counts.
  void Settle(uint64_t count) {
    const std::lock_guard lock(mutex_);
    log_.push_back(count);
    settled_ = log_.size() - 1;
  }
  size_t Now() const {
    const std::lock_guard lock(mutex_);
    return settled_;
  }
  // True if a reader that began when Now() was `from` may have seen `count`.
  bool MayHaveBeen(size_t from, uint64_t count) const {
    const std::lock_guard lock(mutex_);
    return std::find(log_.begin() + static_cast<std::ptrdiff_t>(from), log_.end(), count) !=
           log_.end();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> log_;
  size_t settled_ = 0;
};

// Searches the store in a loop, each time with a new process, until it is destroyed.
class Readers {
 public:
  Readers(std::string store, const PossibleCounts& counts, int threads)
      : store_(std::move(store)), counts_(counts) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
  }
  ~Readers() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  uint64_t searches() const { return searches_; }

 private:
  void Loop() {
    while (!stop_) {
      const size_t from = counts_.Now();
      const ProgramResult result = RunProgram(
          {PMDEX_BINARY, "search", "common", "--json", "--count", "-k", "1", "--index", store_});
      EXPECT_EQ(result.exit_status, 0) << result.err;
      EXPECT_EQ(result.err, "");
      if (result.exit_status != 0) return;
      const uint64_t total = nlohmann::json::parse(result.out)["total"]["value"];
      EXPECT_TRUE(counts_.MayHaveBeen(from, total)) << total << " documents were never there";
      ++searches_;
    }
  }

  const std::string store_;
  const PossibleCounts& counts_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> searches_{0};
  std::vector<std::thread> threads_;
};

// One kind of writer command.
struct WriterCommand {
  const char* name;
  std::vector<std::string> flags;
  bool replaces;  // what is there, instead of adding to it
  bool large;     // the input is enough for several segments
  int weight;     // how often it is run
};

const std::vector<WriterCommand>& WriterCommands() {
  static const std::vector<WriterCommand> commands = {
      {"append", {"--append"}, false, false, 12},
      {"append of several segments", {"--append"}, false, true, 2},
      {"append in parts", {"--append", "--publish-every", "256K"}, false, true, 2},
      {"overwrite", {"--overwrite"}, true, false, 2},
      {"overwrite with several segments", {"--overwrite"}, true, true, 1},
  };
  return commands;
}

class KillTest : public testing::Test {
 protected:
  static constexpr uint64_t kBatchDocuments = 20;
  static constexpr size_t kMostSegments = 60;  // then the store begins anew

  // A batch is one input whose documents share a marker.
  std::string WriteBatch(uint64_t batch) {
    std::string lines;
    for (uint64_t i = 0; i < kBatchDocuments; ++i) {
      const std::string id = std::to_string(batch) + "-" + std::to_string(i);
      lines += "{\"id\":\"" + id + "\",\"body\":\"common marker" + std::to_string(batch) + " " +
               std::to_string(random_()) + "\"}\n";
    }
    // Each batch has its own name, because --resume treats a build with the same inputs as the
    // same.
    return directory_.Write("batch" + std::to_string(batch) + ".jsonl", lines);
  }

  void WriteLargeInput() {
    std::string lines;
    while (lines.size() < (6 << 20)) {
      lines += "{\"id\":\"" + std::to_string(random_()) + "\",\"body\":\"";
      for (int word = 0; word < 60; ++word) lines += std::to_string(random_() % 3'000'000) + " ";
      lines += "\"}\n";
    }
    large_ = directory_.Write("large.jsonl", lines);
  }

  std::vector<std::string> Arguments(const WriterCommand& command, const std::string& store,
                                     const std::string& input) const {
    std::vector<std::string> arguments = {PMDEX_BINARY, "index", "--index",   store, "--quiet",
                                          "--memory",   "32M",   "--threads", "2"};
    arguments.insert(arguments.end(), command.flags.begin(), command.flags.end());
    if (command.large) arguments.push_back(large_);
    arguments.push_back(input);
    return arguments;
  }

  // A random moment during or shortly after the usual duration of the command.
  microseconds RandomMoment(const std::string& command) {
    const int64_t most = std::max<int64_t>(1, usual_[command].count() * 11 / 10);
    return microseconds(random_() % static_cast<uint64_t>(most));
  }

  bool RunTimed(const WriterCommand& command, const std::string& store, const std::string& input,
                bool may_kill) {
    return RunTimed(command.name, Arguments(command, store, input), may_kill);
  }

  bool RunTimed(const std::string& name, const std::vector<std::string>& arguments, bool may_kill) {
    const auto begin = Clock::now();
    const microseconds moment = may_kill ? RandomMoment(name) : std::chrono::minutes(5);
    const bool done = RunAndKill(arguments, moment);
    if (done) {
      const auto took = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
      microseconds& usual = usual_[name];
      usual = usual.count() == 0 ? took : (usual * 3 + took) / 4;
    }
    return done;
  }

  // Like RunTimed, but half of the killed runs are resumed until they are done, and killed again up
  // to three times. Not if an earlier run left work: a run that died before it began would resume
  // that work instead of its own.
  bool RunOrResume(const WriterCommand& command, const std::string& store, const std::string& input,
                   bool may_kill) {
    const bool work_was_left = HasUnfinishedWork(store);
    bool done = RunTimed(command, store, input, may_kill);
    if (!done) ++kills_;
    WriterCommand resume = command;
    resume.flags.emplace_back("--resume");
    const int most_kills = random_() % 2 == 0 && !work_was_left ? 3 : 0;
    for (int i = 0; i <= most_kills && most_kills > 0 && !done; ++i) {
      done = RunTimed(resume, store, input, /*may_kill=*/i < most_kills);
      ++(done ? resumed_ : kills_);
    }
    return done;
  }

  const WriterCommand& RandomCommand() {
    int total = 0;
    for (const WriterCommand& command : WriterCommands()) total += command.weight;
    int at = static_cast<int>(random_() % static_cast<uint64_t>(total));
    for (const WriterCommand& command : WriterCommands()) {
      at -= command.weight;
      if (at < 0) return command;
    }
    return WriterCommands()[0];
  }

  // Runs the command on the store and finds out which documents the store has now.
  void WriteOnce(const WriterCommand& command, bool may_kill) {
    const uint64_t batch = next_batch_++;
    const std::string input = WriteBatch(batch);
    const uint64_t old_documents = acknowledged_.size() * kBatchDocuments;
    counts_.Allow(command.replaces ? kBatchDocuments : old_documents + kBatchDocuments);
    const bool done = RunOrResume(command, Store(), input, may_kill);
    const auto count = CountOf(Store(), "common");
    ASSERT_TRUE(count.ok()) << count.status();
    const auto of_batch = CountOf(Store(), "marker" + std::to_string(batch));
    ASSERT_TRUE(of_batch.ok()) << of_batch.status();
    const bool published = *of_batch == kBatchDocuments;
    EXPECT_TRUE(published || (*of_batch == 0 && !done)) << *of_batch;
    if (published && command.replaces) acknowledged_.clear();
    if (published) acknowledged_.insert(batch);
    EXPECT_EQ(*count, acknowledged_.size() * kBatchDocuments);
    counts_.Settle(*count);
    EXPECT_TRUE(!done || UnlistedFiles(Store()).empty());
  }

  // Kills a merge, which changes no answer. It keeps work that an earlier run left.
  void MergeOnce() {
    std::vector<std::string> arguments = {PMDEX_BINARY,
                                          "merge",
                                          "--index",
                                          Store(),
                                          "--quiet",
                                          "--max-segments",
                                          std::to_string(1 + random_() % 3)};
    if (random_() % 3 == 0) arguments.insert(arguments.end(), {"--tier", "compressed"});
    const bool work_was_left = HasUnfinishedWork(Store());
    microseconds& usual = usual_["merge"];
    const auto begin = Clock::now();
    const bool done =
        RunAndKill(arguments, usual.count() == 0 ? std::chrono::minutes(5) : RandomMoment("merge"));
    if (done) usual = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
    if (!done) ++kills_;
    const auto count = CountOf(Store(), "common");
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_EQ(*count, acknowledged_.size() * kBatchDocuments);
    EXPECT_EQ(HasUnfinishedWork(Store()), work_was_left);
    EXPECT_TRUE(!done || UnlistedFiles(Store()).empty());
  }

  void ExpectEverythingThere() {
    const ProgramResult verified = RunProgram({PMDEX_BINARY, "verify", "--index", Store()});
    EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
    for (const uint64_t batch : acknowledged_) {
      const auto count = CountOf(Store(), "marker" + std::to_string(batch));
      EXPECT_TRUE(count.ok() && *count == kBatchDocuments) << batch << " " << count.status();
    }
  }

  // Kills the first build of a new store. The store must have the whole index or none, and the next
  // run must make it.
  void CreateOnce() {
    static const WriterCommand create = {"index", {}, false, false, 0};
    const std::string store = directory_ / "new-store";
    fs::remove_all(store);
    const std::string input = WriteBatch(0);
    if (usual_["index"].count() == 0) {
      EXPECT_TRUE(RunTimed(create, store, input, /*may_kill=*/false));
      fs::remove_all(store);
    }
    const bool done = RunOrResume(create, store, input, /*may_kill=*/true);
    const auto count = CountOf(store, "common");
    if (count.ok()) {
      EXPECT_EQ(*count, kBatchDocuments);
    } else {
      EXPECT_TRUE(!done && absl::IsNotFound(count.status())) << count.status();
      EXPECT_TRUE(RunTimed(create, store, input, /*may_kill=*/false));
      EXPECT_EQ(CountOf(store, "common").value(), kBatchDocuments);
      EXPECT_EQ(UnlistedFiles(store), std::set<std::string>());
    }
  }

  // Kills a conversion of all segments to one tier, then to the other. No document comes or goes.
  // The command refuses an index with an unfinished build, which the next writer finishes or drops.
  void ConvertOnce() {
    if (HasUnfinishedWork(Store())) return;
    const std::string action = conversions_++ % 2 == 0 ? "demote" : "promote";
    const std::vector<std::string> arguments = {PMDEX_BINARY, "tier",  action,   "--all",
                                                "--index",    Store(), "--quiet"};
    const bool done = RunTimed(action, arguments, /*may_kill=*/usual_[action].count() > 0);
    if (!done) ++kills_;
    const auto count = CountOf(Store(), "common");
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_EQ(*count, acknowledged_.size() * kBatchDocuments);
    EXPECT_TRUE(!done || UnlistedFiles(Store()).empty());
  }

  std::string Store() const { return directory_ / "store"; }

  const TemporaryDirectory directory_{FastTemporaryParent()};
  std::mt19937_64 random_{FromEnvironment("PMDEX_KILL_SEED", 1)};
  std::string large_;
  std::map<std::string, microseconds> usual_;  // duration of a run that was not killed
  PossibleCounts counts_;
  uint64_t next_batch_ = 1;
  std::set<uint64_t> acknowledged_;  // batches the store must hold
  uint64_t conversions_ = 0;
  uint64_t kills_ = 0;
  uint64_t resumed_ = 0;
};

TEST_F(KillTest, LosesNothingAndShowsReadersWholeGenerationsOnly) {
  const uint64_t wanted =
      FromEnvironment("PMDEX_KILLS", kIsSanitized ? 5 : ByEffort<uint64_t>(15, 100));
  WriteLargeInput();
  fs::create_directory(Store());
  const WriterCommand first = {"first", {}, false, false, 0};
  WriteOnce(first, /*may_kill=*/false);
  // Runs each command once to its end, to find out how long it takes.
  for (const WriterCommand& command : WriterCommands()) WriteOnce(command, /*may_kill=*/false);
  Readers readers(Store(), counts_, /*threads=*/2);
  uint64_t runs = 0;
  while (kills_ < wanted && !HasFailure()) {
    ++runs;
    SCOPED_TRACE("run " + std::to_string(runs) + ", kill " + std::to_string(kills_));
    if (runs % 5 == 0) CreateOnce();
    if (runs % 3 == 0) ConvertOnce();
    const bool full = acknowledged_.size() > kMostSegments;
    WriteOnce(full ? WriterCommands()[2] : RandomCommand(), /*may_kill=*/true);
    if (runs % 3 == 0) MergeOnce();
    if (runs % 4 == 0) ExpectEverythingThere();
  }
  WriteOnce(WriterCommands()[0], /*may_kill=*/false);
  ExpectEverythingThere();
  EXPECT_GE(kills_, wanted);
  EXPECT_GT(readers.searches(), 0u);
  RecordProperty("kills", static_cast<int>(kills_));
  std::printf("%lu kills in %lu runs, %lu resumed, %lu searches meanwhile\n", kills_, runs,
              resumed_, readers.searches());
}

}  // namespace kill_test
}  // namespace pmdex
