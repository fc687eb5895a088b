#include "engine/ingest/pipeline/flusher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/store/snapshot.h"
#include "pmem/forwarding_directory.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace flusher_test {

std::unique_ptr<Memtable> OneDocument(const std::string& id) {
  auto memtable = std::make_unique<Memtable>(MemtableOptions{});
  memtable->BeginDocument(id);
  memtable->AddField("body", "some words of " + id);
  memtable->EndDocument();
  return memtable;
}

DoneWork File(uint64_t ordinal) {
  DoneWork work;
  work.documents = 1;
  work.AddFile(ordinal, 0, "file" + std::to_string(ordinal));
  return work;
}

class FlusherTest : public testing::Test {
 protected:
  void Open(Directory& directory) {
    auto writer = IndexWriter::Open(directory, OpenMode::kCreate, {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ASSERT_TRUE(writer_->StartBuild("x").ok());
    checkpointer_ = std::make_unique<Checkpointer>(*writer_, BuildProgress{});
  }

  // A memtable that is a portion by itself, of 10 bytes.
  static bool PushPortion(Flusher& flusher, uint64_t ordinal, bool commit = true) {
    if (!flusher.Reserve(10)) return false;
    auto portion = std::make_shared<Portion>();
    portion->AddSegment();
    portion->Close(File(ordinal));
    return flusher.Push({OneDocument(std::to_string(ordinal)), 10, portion, commit});
  }

  uint64_t PendingDocuments() const {
    return LoadNewestManifest(*directory_, nullptr)->pending->doc_count();
  }

  std::unique_ptr<Directory> directory_ = NewDramDirectory("store");
  std::unique_ptr<IndexWriter> writer_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

TEST_F(FlusherTest, CommitsAPortionWhenItsLastSegmentIsWritten) {
  Open(*directory_);
  Flusher flusher(100, 4, *checkpointer_, *writer_);
  auto portion = std::make_shared<Portion>();
  portion->AddSegment();
  ASSERT_TRUE(flusher.Push({OneDocument("a"), 0, portion}));
  std::thread thread([&] { EXPECT_TRUE(flusher.Run().ok()); });
  while (flusher.totals().segments == 0) std::this_thread::yield();
  EXPECT_EQ(PendingDocuments(), 0u) << "its input is not complete";
  portion->AddSegment();
  DoneWork work = File(1);
  work.documents = 2;
  EXPECT_FALSE(portion->Close(std::move(work)).has_value());
  ASSERT_TRUE(flusher.Push({OneDocument("b"), 0, portion}));
  flusher.Close();
  thread.join();
  EXPECT_EQ(PendingDocuments(), 2u);
  EXPECT_EQ(checkpointer_->progress().documents, 2u);
  EXPECT_EQ(flusher.totals().segments, 2u);
  EXPECT_GT(flusher.totals().bytes, 0u);
}

TEST_F(FlusherTest, LeavesTheLastPortionsToTheEndOfTheBuild) {
  Open(*directory_);
  Flusher flusher(100, 4, *checkpointer_, *writer_);
  ASSERT_TRUE(PushPortion(flusher, 0, /*commit=*/false));
  flusher.Close();
  ASSERT_TRUE(flusher.Run().ok());
  EXPECT_EQ(PendingDocuments(), 0u) << "no manifest for it alone";
  EXPECT_EQ(checkpointer_->progress().documents, 1u);
  ASSERT_TRUE(writer_->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory_))->doc_count(), 1u);
}

// Creating a segment waits until told to go on.
class SlowDirectory final : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (name.starts_with("segment")) {
      ++started_;
      while (!go_on_) std::this_thread::yield();
    }
    return base().Create(name, capacity_bytes);
  }
  void GoOn() { go_on_ = true; }
  int started() const { return started_; }

 private:
  std::atomic<int> started_ = 0;
  std::atomic<bool> go_on_ = false;
};

TEST_F(FlusherTest, LetsIndexersGoOnWhileASegmentIsWrittenAndWaitForMemory) {
  SlowDirectory slow(*directory_);
  Open(slow);
  Flusher flusher(20, 4, *checkpointer_, *writer_);
  std::thread thread([&] { EXPECT_TRUE(flusher.Run().ok()); });
  ASSERT_TRUE(PushPortion(flusher, 0));
  while (slow.started() == 0) std::this_thread::yield();
  ASSERT_TRUE(PushPortion(flusher, 1)) << "while the first is being written";
  std::atomic<bool> third = false;
  std::thread indexer([&] {
    EXPECT_TRUE(PushPortion(flusher, 2)) << "waits for memory";
    third = true;
  });
  EXPECT_FALSE(third) << "the memory is still out";
  slow.GoOn();
  indexer.join();
  flusher.Close();
  thread.join();
  EXPECT_EQ(PendingDocuments(), 3u);
}

TEST_F(FlusherTest, WritesAsManySegmentsAtOnceAsItHasThreads) {
  constexpr int kThreads = 3;
  SlowDirectory slow(*directory_);
  Open(slow);
  Flusher flusher(100, 8, *checkpointer_, *writer_);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(flusher.Run().ok()); });
  }
  for (uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(PushPortion(flusher, i));
  while (slow.started() < kThreads) std::this_thread::yield();
  EXPECT_EQ(slow.started(), kThreads);
  slow.GoOn();
  flusher.Close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(PendingDocuments(), 8u);
}

TEST_F(FlusherTest, ReturnsTheErrorOfASegmentAndLetsNobodyWaitAfterCancel) {
  FailingDirectory failing(*directory_, 1 << 30);
  Open(failing);
  Flusher flusher(10, 4, *checkpointer_, *writer_);
  ASSERT_TRUE(PushPortion(flusher, 0));
  failing.FailFromNowOn();
  EXPECT_FALSE(flusher.Run().ok());
  std::thread other([&] { flusher.Cancel(); });
  EXPECT_FALSE(PushPortion(flusher, 1)) << "the memory of the first never comes back";
  other.join();
  EXPECT_TRUE(flusher.Run().ok()) << "nothing is left to write";
}

}  // namespace flusher_test
}  // namespace pmdex
