// A live index that ends, and the next one that goes on with its sequences.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "engine/store/merging/merge_index.h"
#include "tests/engine/live/live_test_support.h"

namespace pmdex {
namespace live_end_test {

constexpr size_t kMostIds = 1000;

// Ends the index, has `change` change what is durable, and opens it again with its history.
template <typename Change>
void Continue(Directory& directory, std::unique_ptr<LiveIndex>& index, const Change& change) {
  LiveOptions options = Storing();
  const std::shared_ptr<WriteHistory> history = index->History(kMostIds);
  ASSERT_NE(history, nullptr);
  options.history = history;
  index->EndWriting();
  {
    auto writer = IndexWriter::Open(directory, OpenMode::kAppend, index->settings());
    ASSERT_TRUE(writer.ok()) << writer.status();
    EXPECT_EQ((*writer)->published().generation, history->generation);
    change(**writer);
    history->generation = (*writer)->published().generation;
  }
  index = OpenStoring(directory, options);
}

void Merge(Directory& directory, std::unique_ptr<LiveIndex>& index) {
  Continue(directory, index, [&](IndexWriter& writer) {
    MergeIndexOptions options;
    options.max_segments = 1;
    EXPECT_TRUE(MergeIndex(directory, writer, options).ok());
  });
}

TEST(LiveEnd, AnswersReadsWhenWritingHasEnded) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  ASSERT_TRUE(index->Put(Text("a", "first")).ok());
  EXPECT_EQ(index->History(kMostIds), nullptr);  // the write is not durable
  ASSERT_TRUE(index->Commit().ok());
  ASSERT_TRUE(index->Put(Text("b", "other")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(index->History(1), nullptr);  // there are two ids
  index->EndWriting();
  EXPECT_EQ(index->FindDocument("a")->value().sequence, (WriteSequence{1, 0}));
  EXPECT_FALSE(index->FindDocument("c")->has_value());
  EXPECT_EQ(Visible(*index).size(), 2u);
  const auto next = OpenStoring(*directory);  // the writer lock is free
  EXPECT_EQ(next->FindDocument("a")->value().sequence.term, 2u);
  EXPECT_GT(next->NewestSnapshot().end, next->FindDocument("a")->value().sequence.number);
}

TEST(LiveEnd, ShowsTheNewestSnapshotWithoutMakingSegments) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  const auto first = index->Put(Text("a", "first"));
  EXPECT_EQ(index->NewestSnapshot().snapshot->doc_count(), 0u);
  EXPECT_EQ(index->NewestSnapshot().end, first->sequence.number);
  ASSERT_TRUE(index->Commit().ok());
  const ShownWrites durable = index->NewestSnapshot();
  EXPECT_EQ(durable.snapshot->doc_count(), 1u);
  EXPECT_EQ(durable.end, first->sequence.number + 1);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(index->Put(Text(std::to_string(i), "word")).ok());
  ASSERT_TRUE(index->Delete("a").ok());
  EXPECT_EQ(index->NewestSnapshot().snapshot, durable.snapshot);
  EXPECT_EQ(index->dram_segment_count(), 0u);
  // Who asks for all writes gets them, and then they are in the newest snapshot, too.
  const auto all = index->TakeSnapshot();
  EXPECT_EQ(index->NewestSnapshot().snapshot, *all);
  EXPECT_EQ(index->NewestSnapshot().end, first->sequence.number + 1002);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 1000u);
}

TEST(LiveEnd, KeepsTheSequencesOfAllDocumentsOverMerges) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  ASSERT_TRUE(index->Put(Text("old", "word")).ok());
  ASSERT_TRUE(index->Commit().ok());
  index.reset();
  index = OpenStoring(*directory);  // without a history, so that the term is another one
  std::map<std::string, WriteSequence> expected = {
      {"old", index->FindDocument("old")->value().sequence}};
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::string id = std::to_string(random() % 40);
    if (random() % 4 == 0) {
      ASSERT_EQ(index->Delete(id)->removed, expected.erase(id));
    } else {
      const auto condition = expected.contains(id) ? WriteCondition{false, expected[id]}
                                                   : WriteCondition{true, std::nullopt};
      const auto put = index->Put(Text(id, "word"), condition);
      ASSERT_TRUE(put.ok()) << put.status();
      for (const auto& [other, sequence] : expected) ASSERT_LT(sequence, put->sequence) << other;
      expected[id] = put->sequence;
    }
    const bool commits = random() % 5 == 0;
    ASSERT_TRUE(!commits || index->Commit().ok());
    if (random() % 30 > 0) continue;
    ASSERT_TRUE(index->Commit().ok());
    Merge(*directory, index);
    for (const auto& [known, sequence] : expected) {
      const auto found = index->FindDocument(known);
      ASSERT_TRUE(found.ok() && found->has_value()) << known;
      ASSERT_EQ((*found)->sequence, sequence) << known;
      ASSERT_LT(sequence.number, index->NewestSnapshot().end);
    }
  }
}

TEST(LiveEnd, GivesAllDocumentsOtherSequencesIfAnotherWriterCameBetween) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  const auto put = index->Put(Text("a", "first"));
  ASSERT_TRUE(index->Commit().ok());
  LiveOptions options = Storing();
  options.history = index->History(kMostIds);
  index.reset();
  {
    const auto other = OpenStoring(*directory);
    ASSERT_TRUE(other->Put(Text("a", "second")).ok());
    ASSERT_TRUE(other->Commit().ok());
  }
  index = OpenStoring(*directory, options);
  EXPECT_GT(index->FindDocument("a")->value().sequence.term, put->sequence.term);
  const auto late = index->Put(Text("a", "third"), {false, put->sequence});
  EXPECT_TRUE(absl::IsAborted(late.status())) << late.status();
}

}  // namespace live_end_test
}  // namespace pmdex
