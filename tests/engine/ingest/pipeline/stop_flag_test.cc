// Builds that are told to stop: what they leave behind, and what the next run makes of it.
#include "engine/ingest/pipeline/stop_flag.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "engine/ingest/build_options.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace stop_flag_test {

TEST(StopFlag, IsSetWithTheOuterOne) {
  StopFlag outer;
  StopFlag inner(&outer);
  StopFlag other(&outer);
  EXPECT_FALSE(inner.IsSet());
  inner.Set();
  EXPECT_TRUE(inner.IsSet());
  EXPECT_FALSE(other.IsSet());
  outer.Set();
  EXPECT_TRUE(other.IsSet());
}

// Sets a flag when its n-th file is made, and goes on working.
class StoppingDirectory final : public ForwardingDirectory {
 public:
  StoppingDirectory(Directory& base, int files, StopFlag& stop)
      : ForwardingDirectory(base), files_left_(files), stop_(stop) {}
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (--files_left_ == 0) stop_.Set();
    return base().Create(name, capacity_bytes);
  }

 private:
  std::atomic<int> files_left_;
  StopFlag& stop_;
};

class StoppedBuild : public IngestFixture {
 protected:
  static constexpr int kLines = 12'000;  // some 20 blocks, of which 4 travel at a time

  StoppedBuild() {
    options_.format = InputFormat::kLines;
    options_.memory_bytes = 1 << 20;  // blocks of 64 KiB
    options_.indexer_threads = 1;
    options_.reader_threads = 1;
    options_.checkpoint_interval = std::chrono::milliseconds(0);
  }

  void WriteLines() {
    std::string text;
    for (int line = 0; line < kLines; ++line) {
      for (int word = 0; word < 20; ++word) text += "w" + std::to_string(line * word % 3000) + " ";
      text += "\n";
    }
    options_.inputs = {Write("log", text)};
  }

  // A run that is told to stop when it makes its n-th file.
  absl::StatusOr<IngestReport> RunUntilFile(int n, Directory& directory) {
    StopFlag stop;
    StoppingDirectory stopping(directory, n, stop);
    options_.stop = &stop;
    auto writer = IndexWriter::OpenToResume(stopping, OpenMode::kCreate, DescribeBuild(options_),
                                            options_.settings);
    EXPECT_TRUE(writer.ok()) << writer.status();
    auto report = Ingest(options_, **writer, nullptr);
    options_.stop = nullptr;
    const auto& pending = (*writer)->published().pending;
    durable_ = pending.has_value() ? pending->doc_count() : 0;
    return report;
  }

  // Of the unfinished build, after a run.
  uint64_t durable_ = 0;
};

TEST_F(StoppedBuild, GoesOnWhereItsCheckpointEnded) {
  WriteLines();
  uint64_t before = 0;
  for (int stops = 0; stops < 2; ++stops) {
    const auto stopped = RunUntilFile(2, *directory_);
    ASSERT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
    EXPECT_GT(durable_, before);
    before = durable_;
  }
  options_.indexer_threads = options_.reader_threads = 2;
  const auto report = RunUntilFile(0, *directory_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->resumed_documents, before);
  EXPECT_EQ(report->documents, static_cast<uint64_t>(kLines));
  std::vector<std::string> ids = Ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end()) << "a document came twice";
  EXPECT_EQ(ids.size(), static_cast<size_t>(kLines));
}

TEST_F(StoppedBuild, KeepsTheSegmentThatItWasWriting) {
  WriteLines();
  // The first file is the manifest that begins the build, the second one a segment.
  const auto report = RunUntilFile(2, *directory_);
  EXPECT_TRUE(absl::IsCancelled(report.status())) << report.status();
  EXPECT_GT(durable_, 0u);
}

TEST_F(StoppedBuild, IsBegunEvenWhereNothingIsDone) {
  WriteLines();
  const auto report = RunUntilFile(1, *directory_);
  EXPECT_TRUE(absl::IsCancelled(report.status())) << report.status();
  EXPECT_EQ(durable_, 0u);
  const auto again = RunUntilFile(0, *directory_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->documents, static_cast<uint64_t>(kLines));
}

TEST_F(StoppedBuild, IsFinishedWhereAllInputHadBeenRead) {
  options_.checkpoint_interval = std::chrono::hours(1);
  options_.inputs = {Write("log", "one line\n")};
  const auto report = RunUntilFile(2, *directory_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->documents, 1u);
}

// Standard input that stays open: what a run reads is what the test has written.
class StoppedPipe : public StoppedBuild {
 protected:
  StoppedPipe() : saved_(dup(STDIN_FILENO)) {
    EXPECT_EQ(pipe(ends_), 0);
    EXPECT_EQ(dup2(ends_[0], STDIN_FILENO), STDIN_FILENO);
    options_.checkpoint_interval = std::chrono::hours(1);
    options_.inputs = {"-"};
  }
  ~StoppedPipe() override {
    dup2(saved_, STDIN_FILENO);
    for (const int fd : {saved_, ends_[0], ends_[1]}) close(fd);
  }

  // Runs until `stop` is set by `act`, which is called when a block at least has been read.
  absl::Status RunUntil(Directory& directory, const StopFlag& stop,
                        const std::function<void()>& act) {
    options_.stop = &stop;
    auto writer = IndexWriter::Open(directory, OpenMode::kCreate, options_.settings);
    EXPECT_TRUE(writer.ok()) << writer.status();
    absl::Status status;
    std::thread run([&] { status = Ingest(options_, **writer, nullptr).status(); });
    // More than the pipe holds and the reader's block: when all is written, a block is on its way.
    const std::string line = std::string(99, 'x') + "\n";
    std::string text;
    while (text.size() < static_cast<size_t>(fcntl(ends_[1], F_GETPIPE_SZ)) + (256 << 10)) {
      text += line;
    }
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    act();
    run.join();
    const auto& pending = (*writer)->published().pending;
    durable_ = pending.has_value() ? pending->doc_count() : 0;
    return status;
  }

 private:
  const int saved_;
  int ends_[2] = {-1, -1};
};

TEST_F(StoppedPipe, NeedsNoEndOfItsInput) {
  StopFlag stop;
  const absl::Status status = RunUntil(*directory_, stop, [&] { stop.Set(); });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_GT(durable_, 0u);
}

TEST_F(StoppedPipe, ReportsThatItsCheckpointFailed) {
  StopFlag stop;
  FailingDirectory failing(*directory_, 1 << 30);
  const absl::Status status = RunUntil(failing, stop, [&] {
    failing.FailFromNowOn();
    stop.Set();
  });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(durable_, 0u);
}

}  // namespace stop_flag_test
}  // namespace pmdex
