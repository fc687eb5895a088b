#include "engine/live/dram_segments.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/live/dram_segment_builder.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace dram_segments_test {

class DramSegmentsTest : public testing::Test {
 protected:
  void Append(uint64_t documents) {
    segments_.Append({end_, end_ + documents, segment_});
    end_ += documents;
  }
  // Merges as a live index does, until there is nothing to merge. Returns the documents merged.
  uint64_t MergeAll(uint64_t barrier = 0) {
    uint64_t merged = 0;
    while (const auto range = segments_.ChooseMerge({.barrier = barrier})) {
      EXPECT_TRUE(range->end <= barrier || range->begin >= barrier);
      EXPECT_TRUE(segments_.Replace({range->begin, range->end, segment_}));
      merged += range->end - range->begin;
    }
    return merged;
  }
  void ExpectNoGaps() const {
    uint64_t begin = segments_.segments().empty() ? 0 : segments_.segments().front().begin;
    for (const DramSegment& segment : segments_.segments()) {
      EXPECT_EQ(segment.begin, begin);
      begin = segment.end;
    }
    EXPECT_EQ(begin, end_);
    EXPECT_EQ(segments_.memory_bytes(), segments_.segments().size() * segment_->file_bytes());
  }

  DramSegmentBuilder builder_{IndexSettings(), {}};
  const std::shared_ptr<const Segment> segment_ = *builder_.Build(
      std::vector{std::make_shared<const AddedDocument>(AddedDocument{"a", {{"body", "x"}}, ""})});
  DramSegments segments_;
  uint64_t end_ = 0;
};

TEST_F(DramSegmentsTest, StayFewWhenDocumentsComeOneByOne) {
  uint64_t merged = 0;
  for (int i = 0; i < 20000; ++i) {
    Append(1);
    merged += MergeAll();
    ASSERT_LE(segments_.segments().size(), 40u);
  }
  ExpectNoGaps();
  EXPECT_LE(merged, 20000u * 10);  // each document a logarithmic number of times
}

TEST_F(DramSegmentsTest, StayFewForRandomSizes) {
  SeededRandom random(1);
  uint64_t merged = 0;
  for (int i = 0; i < 5000; ++i) {
    Append(1 + random.Below(size_t{1} << random.Below(12)));
    merged += MergeAll();
    ASSERT_LE(segments_.segments().size(), 60u);
  }
  ExpectNoGaps();
  EXPECT_LE(merged, end_ * 15);
}

TEST_F(DramSegmentsTest, AreNotMergedAcrossTheBarrier) {
  for (int i = 0; i < 13; ++i) Append(1);
  EXPECT_EQ(MergeAll(6), 0u);
  EXPECT_EQ(MergeAll(3), 10u);
  ExpectNoGaps();
  ASSERT_EQ(segments_.segments().size(), 4u);
  EXPECT_EQ(segments_.segments()[3].begin, 3u);
}

TEST_F(DramSegmentsTest, AreMergedBesideAnotherMergeAFewAtATime) {
  for (int i = 0; i < 100; ++i) Append(1);
  MergeBounds bounds{.barrier = 0, .most_documents = 20, .left_out = {0, 64}};
  auto range = segments_.ChooseMerge(bounds);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->begin, 64u);
  EXPECT_EQ(range->end, 84u);
  ASSERT_TRUE(segments_.Replace({range->begin, range->end, segment_}));
  range = segments_.ChooseMerge(bounds);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->begin, 84u);
  EXPECT_EQ(range->end, 100u);
  ASSERT_TRUE(segments_.Replace({range->begin, range->end, segment_}));
  EXPECT_EQ(segments_.ChooseMerge(bounds), std::nullopt);
  EXPECT_TRUE(segments_.Replace({0, 64, segment_})) << "the other merge finds its segments";
  bounds.left_out = {};
  bounds.most_documents = 7;
  for (int i = 0; i < 8; ++i) Append(1);
  EXPECT_EQ(segments_.ChooseMerge(bounds), std::nullopt) << "eight are worth it, seven are not";
  bounds.most_documents = 8;
  EXPECT_TRUE(segments_.ChooseMerge(bounds).has_value());
  ExpectNoGaps();
}

// A merge of some whose segments another one has taken meanwhile.
TEST_F(DramSegmentsTest, AreNotReplacedTwice) {
  for (int i = 0; i < 16; ++i) Append(1);
  ASSERT_TRUE(segments_.Replace({0, 16, segment_}));
  EXPECT_FALSE(segments_.Replace({0, 8, segment_}));
  EXPECT_FALSE(segments_.Replace({8, 16, segment_}));
  EXPECT_FALSE(segments_.Replace({4, 8, segment_}));
  ExpectNoGaps();
}

TEST_F(DramSegmentsTest, AreDroppedFromTheFront) {
  for (int i = 0; i < 5; ++i) Append(2);
  segments_.DropBefore(6);
  ASSERT_EQ(segments_.segments().size(), 2u);
  EXPECT_EQ(segments_.segments()[0].begin, 6u);
  ExpectNoGaps();
  EXPECT_FALSE(segments_.Replace({4, 8, segment_}));  // a part of it is gone
  segments_.DropBefore(10);
  EXPECT_TRUE(segments_.segments().empty());
  EXPECT_EQ(segments_.memory_bytes(), 0u);
}

}  // namespace dram_segments_test
}  // namespace pmdex
