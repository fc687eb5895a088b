#include "engine/store/merging/merge_policy.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace merge_policy_test {

constexpr uint64_t kMiB = uint64_t{1} << 20;

std::vector<MergeCandidate> RandomSegments(SeededRandom& random, size_t count) {
  std::vector<MergeCandidate> segments(count);
  for (MergeCandidate& segment : segments) {
    segment.bytes = 1 + random.Below(uint64_t{1} << (10 + random.Below(24)));
    segment.doc_count = 1 + static_cast<uint32_t>(random.Below(100'000));
    if (random.OneIn(3)) {
      segment.deleted_count = static_cast<uint32_t>(random.Below(segment.doc_count + 1));
    }
  }
  return segments;
}

// What the index has after a merge.
void Carry(const MergeRun& run, std::vector<MergeCandidate>& segments) {
  MergeCandidate merged;
  for (size_t i = run.first; i < run.first + run.count; ++i) {
    merged.bytes += segments[i].LiveBytes();
    merged.doc_count += segments[i].doc_count - segments[i].deleted_count;
  }
  const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(run.first);
  segments.erase(begin, begin + static_cast<std::ptrdiff_t>(run.count));
  segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(run.first), merged);
}

TEST(MergePolicy, EndsWithFewSegmentsWithinItsBudgets) {
  SeededRandom random(5);
  for (int round = 0; round < 200; ++round) {
    auto segments = RandomSegments(random, random.Below(150));
    MergePolicyOptions options;
    options.segments_per_tier = 2 + random.Below(12);
    options.max_segments_at_once = 2 + random.Below(12);
    options.max_merged_bytes = kMiB * (1 + random.Below(4000));
    options.free_bytes = random.OneIn(3) ? kMiB * random.Below(4000) : UINT64_MAX;
    size_t merges = 0;
    while (const auto run = ChooseMerge(segments, options)) {
      ASSERT_GE(run->count, 1u);
      ASSERT_LE(run->count, options.max_segments_at_once);
      ASSERT_LE(run->first + run->count, segments.size());
      uint64_t bytes = 0;
      for (size_t i = 0; i < run->count; ++i) bytes += segments[run->first + i].LiveBytes();
      ASSERT_LE(bytes, options.free_bytes);
      if (run->count > 1) {
        ASSERT_LE(bytes, options.max_merged_bytes);
      }
      Carry(*run, segments);
      ASSERT_LT(++merges, 1000u);
    }
    for (const MergeCandidate& segment : segments) {
      if (segment.LiveBytes() > options.free_bytes || segment.doc_count == 0) continue;
      EXPECT_LE(segment.deleted_count, options.most_deleted * segment.doc_count);
    }
  }
}

TEST(MergePolicy, LeavesAFewSegmentsAlone) {
  std::vector<MergeCandidate> segments(10, {.bytes = 100 * kMiB, .doc_count = 10});
  EXPECT_EQ(ChooseMerge(segments, {}), std::nullopt);
  EXPECT_EQ(ChooseMerge({}, {}), std::nullopt);
}

// Each byte is copied about once for each tier, as in Lucene.
TEST(MergePolicy, CopiesEachByteFewTimesWhileAnIndexGrows) {
  std::vector<MergeCandidate> segments;
  uint64_t copied = 0;
  size_t most = 0;
  constexpr size_t kFlushes = 1000;
  for (size_t i = 0; i < kFlushes; ++i) {
    segments.push_back({.bytes = 20 * kMiB, .doc_count = 100});
    while (const auto run = ChooseMerge(segments, {})) {
      for (size_t j = 0; j < run->count; ++j) copied += segments[run->first + j].bytes;
      Carry(*run, segments);
    }
    most = std::max(most, segments.size());
  }
  EXPECT_LE(copied, 4 * kFlushes * 20 * kMiB);
  EXPECT_LE(most, 45u);
}

TEST(MergePolicy, MergesEqualSizesBeforeUnequalOnes) {
  std::vector<MergeCandidate> segments(25, {.bytes = 20 * kMiB, .doc_count = 10});
  segments.insert(segments.begin(), {.bytes = 2000 * kMiB, .doc_count = 1000});
  const auto run = ChooseMerge(segments, {});
  ASSERT_TRUE(run.has_value());
  EXPECT_GE(run->first, 1u);
  EXPECT_EQ(run->count, 10u);
}

TEST(MergePolicy, RewritesASegmentWithManyDeletedDocuments) {
  std::vector<MergeCandidate> segments(3, {.bytes = kMiB, .doc_count = 100});
  segments[1].deleted_count = 20;
  EXPECT_EQ(ChooseMerge(segments, {}), std::nullopt);
  segments[1].deleted_count = 21;
  EXPECT_EQ(ChooseMerge(segments, {}), (MergeRun{1, 1}));
}

TEST(MergePolicy, MergesToAnyNumberOfSegmentsWithoutOverlap) {
  SeededRandom random(6);
  for (int round = 0; round < 200; ++round) {
    const auto segments = RandomSegments(random, random.Below(80));
    const size_t most = 1 + random.Below(20);
    const bool all = random.OneIn(4);
    size_t left = segments.size();
    size_t end = 0;
    std::vector<bool> written(segments.size());
    for (const MergeRun& run : ChooseMergesTo(segments, most, {.tier = {}, .all = all})) {
      ASSERT_GE(run.first, end);
      end = run.first + run.count;
      ASSERT_LE(end, segments.size());
      left -= run.count - 1;
      std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(run.first), run.count, true);
    }
    EXPECT_EQ(left, std::min(most, segments.size()));
    for (size_t i = 0; i < segments.size(); ++i) {
      if (all || segments[i].deleted_count > 0) {
        EXPECT_TRUE(written[i]);
      }
    }
  }
}

TEST(MergePolicy, MergesTheFewestBytesAndRewritesOtherTiers) {
  std::vector<MergeCandidate> segments(4, {.bytes = kMiB, .doc_count = 1});
  segments[1].bytes = segments[2].bytes = 10;
  EXPECT_EQ(ChooseMergesTo(segments, 3, {}), (std::vector<MergeRun>{{1, 2}}));
  EXPECT_EQ(ChooseMergesTo(segments, 9, {}), std::vector<MergeRun>());
  EXPECT_EQ(ChooseMergesTo(segments, 1, {}), (std::vector<MergeRun>{{0, 4}}));
  segments[3].tier = Tier::kCompressed;
  EXPECT_EQ(ChooseMergesTo(segments, 9, {.tier = Tier::kUncompressed, .all = false}),
            (std::vector<MergeRun>{{3, 1}}));
}

}  // namespace merge_policy_test
}  // namespace pmdex
