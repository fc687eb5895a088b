#include "engine/ingest/resume/checkpointer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/ingest/problem_kind.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace checkpointer_test {

std::string Name(uint64_t ordinal) {
  return "file" + std::to_string(1000 + ordinal);
}

// The work of a segment with one document, which is the file of this ordinal.
DoneWork Write(IndexWriter& writer, uint64_t ordinal) {
  const auto input = MakeInput({{Name(ordinal), "word"}});
  const auto info = writer.WriteSegment(*input);
  DoneWork work;
  if (!info.ok()) return work;
  work.documents = 1;
  work.bytes_in = 4;
  work.segment_ids = {info->segment_id};
  work.AddFile(ordinal, 0, Name(ordinal));
  return work;
}

std::unique_ptr<IndexWriter> Start(Directory& directory) {
  auto writer = IndexWriter::Open(directory, OpenMode::kCreate, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  EXPECT_TRUE((*writer)->StartBuild("x").ok());
  return *std::move(writer);
}

TEST(Checkpointer, CommitsASegmentTogetherWithItsPartOfTheInput) {
  const auto directory = NewDramDirectory("store");
  const auto writer = Start(*directory);
  Checkpointer checkpointer(*writer, {});
  ASSERT_TRUE(checkpointer.Commit(Write(*writer, 0)).ok());
  ASSERT_TRUE(checkpointer.Commit(Write(*writer, 2)).ok());
  EXPECT_EQ(checkpointer.totals().checkpoints, 2u);
  EXPECT_GT(checkpointer.totals().seconds, 0);
  const Manifest manifest = *LoadNewestManifest(*directory, nullptr);
  EXPECT_EQ(manifest.pending->doc_count(), 2u);
  const auto progress = DecodeBuildProgress(manifest.pending->progress);
  ASSERT_TRUE(progress.ok()) << progress.status();
  EXPECT_EQ(progress->documents, 2u);
  EXPECT_EQ(progress->bytes_in, 8u);
  EXPECT_EQ(progress->segments, 2u);
  ASSERT_EQ(progress->watermark.size(), 2u);
  EXPECT_EQ(progress->watermark[1].first.path, Name(2));
}

TEST(Checkpointer, LetsReadersSeeTheCommittedPartOfABuildThatIsSearchedWhileItRuns) {
  const auto directory = NewDramDirectory("store");
  const auto writer = Start(*directory);
  BuildProgress before;
  before.fields = {{"price", KnownField::Of({FieldType::kF64, Multiplicity::kOne})},
                   {"unknown", KnownField::Reserved()}};
  Checkpointer checkpointer(*writer, before, nullptr, /*publishes_parts=*/true);
  for (uint64_t documents = 1; documents <= 3; ++documents) {
    ASSERT_TRUE(checkpointer.Commit(Write(*writer, documents)).ok());
    const Manifest manifest = *LoadNewestManifest(*directory, nullptr);
    EXPECT_TRUE(manifest.IsVisible());
    EXPECT_EQ(manifest.segments.size(), documents);
    EXPECT_EQ(manifest.PendingDocuments(), documents);
    EXPECT_EQ(manifest.fields.size(), 1u);
    EXPECT_EQ(DecodeBuildProgress(manifest.pending->progress)->documents, documents);
  }
}

TEST(Checkpointer, KeepsWhatIsNotYetToBeCommittedForTheNextOne) {
  const auto directory = NewDramDirectory("store");
  const auto writer = Start(*directory);
  Checkpointer checkpointer(*writer, {});
  DoneWork passed_over;
  passed_over.AddFile(0, 0, Name(0));
  passed_over.problems[ProblemKind::kBinaryFile].count = 1;
  checkpointer.Keep(std::move(passed_over));
  ASSERT_TRUE(checkpointer.CommitRest().ok());
  EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->generation, 1u) << "no segment, no checkpoint";
  ASSERT_TRUE(checkpointer.Commit(Write(*writer, 1)).ok());
  const auto progress =
      DecodeBuildProgress(LoadNewestManifest(*directory, nullptr)->pending->progress);
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->problems.at(ProblemKind::kBinaryFile).count, 1u);
  EXPECT_EQ(progress->watermark.size(), 1u);
}

TEST(Checkpointer, GoesOnCountingFromWhatWasDoneBefore) {
  const auto directory = NewDramDirectory("store");
  const auto writer = Start(*directory);
  BuildProgress before;
  before.documents = 10;
  before.watermark = {{{0, "a"}, {0, "b"}, {}}};
  Checkpointer checkpointer(*writer, before);
  checkpointer.Pass(0);
  checkpointer.Keep(Write(*writer, 1));
  EXPECT_EQ(checkpointer.progress().documents, 11u);
  ASSERT_EQ(checkpointer.progress().watermark.size(), 1u);
  EXPECT_EQ(checkpointer.progress().watermark[0].last.path, Name(1));
}

TEST(Checkpointer, EveryManifestOfManyThreadsListsWhatItsProgressSays) {
  const auto directory = NewDramDirectory("store");
  const auto writer = Start(*directory);
  Checkpointer checkpointer(*writer, {});
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kEach = 12;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kEach; ++i) {
        if (!checkpointer.Commit(Write(*writer, t + kThreads * i)).ok()) ++failures;
        const auto manifest = LoadNewestManifest(*directory, nullptr);
        const auto progress = DecodeBuildProgress(manifest->pending->progress);
        if (!progress.ok() || progress->documents != manifest->pending->doc_count()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  const Manifest manifest = *LoadNewestManifest(*directory, nullptr);
  EXPECT_EQ(manifest.pending->doc_count(), kThreads * kEach);
  const auto progress = DecodeBuildProgress(manifest.pending->progress);
  ASSERT_TRUE(progress.ok());
  ASSERT_EQ(progress->watermark.size(), 1u);
  EXPECT_EQ(progress->watermark[0].last.path, Name(kThreads * kEach - 1));
}

TEST(Checkpointer, WritesNothingMoreAfterAnError) {
  const auto base = NewDramDirectory("store");
  FailingDirectory directory(*base, 1 << 30);
  const auto writer = Start(directory);
  Checkpointer checkpointer(*writer, {});
  DoneWork lost;
  lost.segment_ids = {Write(*writer, 0).segment_ids[0]};
  directory.FailFromNowOn();
  EXPECT_FALSE(checkpointer.Commit(std::move(lost)).ok());
  const int64_t changes = directory.changes_made();
  DoneWork next;
  next.segment_ids = {99};
  EXPECT_FALSE(checkpointer.Commit(std::move(next)).ok());
  EXPECT_EQ(directory.changes_made(), changes);
}

}  // namespace checkpointer_test
}  // namespace pmdex
