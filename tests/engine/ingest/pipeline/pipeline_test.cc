#include "engine/ingest/pipeline/pipeline.h"

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/forwarding_directory.h"
#include "pmem/mutex.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace pipeline_test {

// A medium that is full after some files.
class FullDirectory final : public ForwardingDirectory {
 public:
  FullDirectory(Directory& base, int files_left)
      : ForwardingDirectory(base), files_left_(files_left) {}
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (files_left_-- <= 0) return absl::ResourceExhaustedError("no space left");
    return base().Create(name, capacity_bytes);
  }
  void Fill() { files_left_ = 0; }

 private:
  std::atomic<int> files_left_;
};

std::string ManyWords(size_t size_bytes) {
  std::mt19937 random(8);
  std::string text;
  while (text.size() < size_bytes) {
    for (int word = 0; word < 15; ++word) text += "w" + std::to_string(random() % 40000) + " ";
    text += "\n";
  }
  return text;
}

TEST_F(IngestFixture, PipelineStopsAndPublishesNothingWhenTheStoreIsFull) {
  options_.format = InputFormat::kLines;
  options_.memory_bytes = uint64_t{32} << 20;
  options_.indexer_threads = 2;
  options_.reader_threads = 2;
  options_.inputs = {Write("a", ManyWords(6 << 20)), Path("a"), Path("a")};
  FullDirectory full(*directory_, 1);
  {
    auto writer = IndexWriter::Open(full, OpenMode::kCreate, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    const auto report = Ingest(options_, **writer, nullptr);
    EXPECT_EQ(report.status().code(), absl::StatusCode::kResourceExhausted) << report.status();
  }
  EXPECT_FALSE(Snapshot::Open(*directory_).ok());
}

TEST_F(IngestFixture, PipelineTellsItsProgressToTheEnd) {
  options_.inputs = {Write("tree/a", std::string(1000, 'a')), Write("tree/b", "b")};
  auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings);
  ASSERT_TRUE(writer.ok());
  IngestProgress last;
  const auto report =
      Ingest(options_, **writer, [&last](const IngestProgress& progress) { last = progress; });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(last.bytes_done, 1001u);
  EXPECT_EQ(last.bytes_total, 1001u);
  EXPECT_EQ(last.documents, 2u);
  EXPECT_EQ(last.written_documents, 2u);
}

// Calls RunPipeline by itself, on a build that has begun.
class RunPipelineTest : public IngestFixture {
 protected:
  void Open() {
    auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ASSERT_TRUE(writer_->StartBuild("x").ok());
    checkpointer_ = std::make_unique<Checkpointer>(*writer_, BuildProgress{});
    context_ = std::make_unique<IngestContext>(
        ResolveParameters(options_, directory_->granularity()), std::vector<NumaNode>(), &stop_);
  }
  absl::StatusOr<PipelineReport> RunIt() {
    return RunPipeline(options_, *context_, *checkpointer_, *writer_, [this] { ++ticks_; });
  }

  StopFlag stop_;
  int ticks_ = 0;
  std::unique_ptr<IndexWriter> writer_;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<IngestContext> context_;
};

TEST_F(RunPipelineTest, WritesSegmentsAndLeavesPublishingToTheCaller) {
  options_.format = InputFormat::kLines;
  options_.inputs = {Write("a", "one\ntwo\n"), Write("b", "three\n")};
  Open();
  const auto report = RunIt();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->index.items, 3u);
  EXPECT_EQ(report->write.items, 1u);
  EXPECT_GE(ticks_, 1);
  EXPECT_EQ(checkpointer_->progress().documents, 3u);
  EXPECT_FALSE(Snapshot::Open(*directory_).ok()) << "nothing is published yet";
  ASSERT_TRUE(writer_->Publish().ok());
  EXPECT_EQ(Ids().size(), 3u);
}

TEST_F(RunPipelineTest, RunsAsManyThreadsAsTheParametersSay) {
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  options_.writer_threads = 2;
  options_.inputs = {Write("a", "one")};
  Open();
  const auto report = RunIt();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->walk.threads, 1);
  EXPECT_EQ(report->read.threads, 2);
  EXPECT_EQ(report->index.threads, 3);
  EXPECT_EQ(report->write.threads, 2);
  EXPECT_EQ(report->threads_not_started, 0);
}

TEST_F(RunPipelineTest, IsCancelledWhenItIsToldToStopBeforeTheInputIsRead) {
  options_.inputs = {Write("tree/a", "one"), Write("tree/b", "two")};
  Open();
  stop_.Set();
  EXPECT_TRUE(absl::IsCancelled(RunIt().status()));
}

TEST_F(RunPipelineTest, ReturnsTheErrorOfAWriter) {
  options_.inputs = {Write("a", "one")};
  FullDirectory full(*directory_, 100);
  auto writer = IndexWriter::Open(full, OpenMode::kCreate, options_.settings);
  ASSERT_TRUE(writer.ok()) << writer.status();
  writer_ = *std::move(writer);
  checkpointer_ = std::make_unique<Checkpointer>(*writer_, BuildProgress{});
  context_ = std::make_unique<IngestContext>(ResolveParameters(options_, full.granularity()));
  full.Fill();
  EXPECT_EQ(RunIt().status().code(), absl::StatusCode::kResourceExhausted);
}

void ExpectTimesAddUp(const StageReport& stage, double seconds) {
  EXPECT_GT(stage.threads, 0);
  EXPECT_GT(stage.lifetime_seconds, 0);
  EXPECT_LE(stage.lifetime_seconds, seconds * stage.threads);
  EXPECT_LE(stage.input_wait_seconds + stage.output_wait_seconds, stage.lifetime_seconds);
  EXPECT_GE(stage.cpu_seconds, 0);
}

// Remembers the stage that each thread began, until it ends.
class ThreadCounter : public StageObserver {
 public:
  void BeginThread(PipelineStage stage) override {
    MutexLock lock(&mutex_);
    EXPECT_TRUE(running_.emplace(std::this_thread::get_id(), stage).second);
    ++threads_[stage];
  }
  void EndThread(PipelineStage stage) override {
    MutexLock lock(&mutex_);
    const auto found = running_.find(std::this_thread::get_id());
    ASSERT_NE(found, running_.end());
    EXPECT_EQ(found->second, stage);
    running_.erase(found);
  }
  std::map<PipelineStage, int> EndedThreads() {
    MutexLock lock(&mutex_);
    EXPECT_TRUE(running_.empty());
    return threads_;
  }

 private:
  Mutex mutex_;
  std::map<std::thread::id, PipelineStage> running_ ABSL_GUARDED_BY(mutex_);
  std::map<PipelineStage, int> threads_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(IngestFixture, PipelineTellsTheObserverOfEveryThread) {
  ThreadCounter counter;
  options_.format = InputFormat::kLines;
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  options_.writer_threads = 1;
  options_.observer = &counter;
  Run({Write("a", "one\ntwo\n")});
  const std::map<PipelineStage, int> expected = {{PipelineStage::kWalk, 1},
                                                 {PipelineStage::kRead, 2},
                                                 {PipelineStage::kIndex, 3},
                                                 {PipelineStage::kWrite, 1}};
  EXPECT_EQ(counter.EndedThreads(), expected);
}

TEST_F(IngestFixture, PipelineTellsWhatEveryStageDid) {
  options_.format = InputFormat::kLines;
  options_.memory_bytes = uint64_t{32} << 20;
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  options_.writer_threads = 2;
  const std::string text = ManyWords(6 << 20);
  const IngestReport report = Run({Write("a", text), Write("b", text), Write("c", "last\n")});
  const PipelineReport& stages = report.stages;
  EXPECT_EQ(stages.walk.threads, 1);
  EXPECT_EQ(stages.read.threads, 2);
  EXPECT_EQ(stages.index.threads, 3);
  EXPECT_EQ(stages.write.threads, 2);
  for (const StageReport* stage : {&stages.walk, &stages.read, &stages.index, &stages.write}) {
    ExpectTimesAddUp(*stage, stages.seconds);
  }
  EXPECT_EQ(stages.walk.items, 3u);
  EXPECT_EQ(stages.read.bytes, report.bytes_in);
  EXPECT_GT(stages.read.items, stages.read.bytes >> 20) << "blocks of at most a MiB";
  EXPECT_EQ(stages.index.bytes, report.bytes_in);
  EXPECT_EQ(stages.index.items, report.documents);
  EXPECT_EQ(stages.write.items, report.segments);
  EXPECT_GT(stages.write.bytes, 0u);
  EXPECT_GE(stages.publish.items, 1u);
  EXPECT_GT(stages.publish.busy_seconds(), 0);
  EXPECT_GE(stages.blocks.max_depth, 1u);
  EXPECT_LE(stages.blocks.max_depth, stages.blocks.capacity);
  EXPECT_LE(stages.files.max_depth, 3u);
  EXPECT_GE(stages.memtables.max_depth, 1u);
}

uint64_t AnonymousBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) << 10;
  }
  return 0;
}

// Exit status of a process of its own: 0 when its own memory stayed within the budget and a tenth.
int IngestWithinBudget(const IngestOptions& options, const std::string& index) {
  FileDirectoryOptions directory_options;
  directory_options.create = true;
  directory_options.durable = false;
  auto directory = OpenFileDirectory(index, directory_options);
  if (!directory.ok()) return 2;
  auto writer = IndexWriter::Open(**directory, OpenMode::kCreate, options.settings);
  if (!writer.ok()) return 2;
  const uint64_t before = AnonymousBytes();
  std::atomic<bool> done = false;
  uint64_t peak = 0;
  std::thread sampler([&] {
    while (!done) peak = std::max(peak, AnonymousBytes());
  });
  const auto report = Ingest(options, **writer, nullptr);
  done = true;
  sampler.join();
  if (!report.ok() || report->segments < 2) return 3;
  const uint64_t used = peak - std::min(peak, before);
  std::fprintf(
      stderr, "peak %.1f MiB of %.1f MiB, %d segments\n", static_cast<double>(used) / (1 << 20),
      static_cast<double>(options.memory_bytes) / (1 << 20), static_cast<int>(report->segments));
  return used <= options.memory_bytes / 10 * 11 ? 0 : 1;
}

TEST_F(IngestFixture, PipelineStaysWithinItsMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has memory of its own";
#endif
  options_.format = InputFormat::kLines;
  options_.indexer_threads = 2;
  const std::string path = Write("a", ManyWords(8 << 20));
  options_.inputs.assign(14, path);
  const pid_t child = fork();
  if (child == 0) _exit(IngestWithinBudget(options_, Path("index")));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace pipeline_test
}  // namespace pmdex
