#include "query/algorithm/leaf/column_leaf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "query/columns/column_keys.h"
#include "tests/support/column_index.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace column_leaf_test {

// The windows that are asked about many times come from the order of values in the end; the answers
// stay the same.
TEST(ColumnLeaf, GivesTheSameDocumentsBeforeAndAfterItReadsTheOrder) {
  constexpr uint32_t kDocs = 20'000;
  const ColumnIndex index = MakeColumnIndex(4, {kDocs});
  const Segment& segment = *index.snapshot->segments()[0];
  SharedExpansions expansions;
  SeededRandom random(1);
  for (const char* const name : {"n", "big", "time", "tags", "rare", "level"}) {
    SCOPED_TRACE(name);
    SegmentContext context{
        segment, 0, 0, BestQueryKernels(), expansions, {kDocs, "segment", absl::OkStatus()}};
    const ColumnView& column = *segment.FindColumn(name);
    ColumnKeys keys;
    keys.low = keys.high = column.KeyAt(column.value_count() / 2).value();
    ColumnFilter filter(column, keys);
    std::vector<WindowBits> expected(WindowCount(kDocs));
    for (uint32_t window = 0; window < expected.size(); ++window) {
      ASSERT_TRUE(filter.Fill(window, ScalarQueryKernels(), expected[window]).ok());
    }
    ColumnLeaf leaf(std::move(filter), 1, context);
    for (int round = 0; round < 300; ++round) {
      const auto window = static_cast<uint32_t>(random.Below(expected.size()));
      WindowBits filled;
      leaf.Fill(window, filled);
      ASSERT_EQ(filled.words, expected[window].words);
      WindowBits candidates, kept;
      for (uint64_t n = random.Below(2) == 0 ? random.Below(60) : random.Below(4000); n > 0; --n) {
        const auto doc = static_cast<uint32_t>(random.Below(kWindowDocs));
        if (window * kWindowDocs + doc < kDocs) candidates.Set(doc);
      }
      kept = candidates;
      leaf.Retain(window, kept);
      candidates.And(expected[window]);
      ASSERT_EQ(kept.words, candidates.words);
      const DocId some = window * kWindowDocs + static_cast<DocId>(random.Below(kWindowDocs / 2));
      if (some < kDocs) {
        const uint64_t bits = expected[window].words[some % kWindowDocs / 64];
        ASSERT_EQ(leaf.Matching(std::vector<DocId>{some}), bits >> (some % 64) & 1);
      }
      const uint32_t first = leaf.FirstWindowFrom(window);
      for (uint32_t skipped = window; skipped < std::min<size_t>(first, expected.size());
           ++skipped) {
        EXPECT_EQ(expected[skipped].Count(), 0u);
      }
      if (leaf.WindowEstimate(window) == 0) {
        EXPECT_EQ(expected[window].Count(), 0u);
      }
    }
    EXPECT_TRUE(context.cursor.damage.ok());
  }
}

// Lists that lie close together and far apart, in one list, so that batches are scanned, looked up
// and left out by the bounds of windows.
TEST(ColumnLeaf, KeepsTheListedDocumentsThatMatch) {
  constexpr uint32_t kDocs = 21'000;
  SeededRandom random(2);
  for (const bool compressed : {false, true}) {
    const ColumnIndex index = MakeColumnIndex(5, {100, kDocs}, compressed);
    const Segment& segment = *index.snapshot->segments()[1];
    SharedExpansions expansions;
    std::vector<bool> widths(9);
    for (const ColumnView& column : segment.columns()) {
      SCOPED_TRACE(std::string(column.name()));
      if (column.is_dense() && !column.is_multi()) widths[column.value_bytes()] = true;
      for (int round = 0; round < 20; ++round) {
        SegmentContext context{
            segment, 0, 0, BestQueryKernels(), expansions, {kDocs, "segment", absl::OkStatus()}};
        ColumnKeys keys;
        keys.low = column.KeyAt(random.Below(column.value_count())).value();
        keys.high =
            random.OneIn(3) ? keys.low : column.KeyAt(random.Below(column.value_count())).value();
        if (keys.low > keys.high) std::swap(keys.low, keys.high);
        const ColumnFilter filter(column, keys);
        ColumnLeaf leaf(filter, 1, context);
        std::vector<DocId> docs;
        for (DocId doc = 0; doc < kDocs;) {
          docs.push_back(doc);
          doc += 1 + static_cast<DocId>(random.Below(doc / 7'000 % 2 == 0 ? 2 : 300));
          if (random.OneIn(2000)) doc += 4'000;
        }
        std::vector<uint64_t> members(docs.size() / 64 + 1);
        for (uint64_t& word : members) word = random.OneIn(4) ? 0 : random.Next();
        const std::vector<uint64_t> before = members;
        leaf.RetainListed(docs, members);
        ASSERT_TRUE(context.cursor.damage.ok());
        for (size_t i = 0; i < docs.size(); ++i) {
          const bool expected =
              (before[i / 64] >> (i % 64) & 1) != 0 && filter.Contains(docs[i]).value();
          ASSERT_EQ(members[i / 64] >> (i % 64) & 1, uint64_t{expected}) << docs[i];
        }
      }
    }
    EXPECT_TRUE(widths[1] && widths[2] && widths[4] && widths[8]);
  }
}

TEST(ColumnLeaf, LooksFewDocumentsUpButNotInARangeOfFewerValues) {
  constexpr uint32_t kDocs = 20'000;
  const ColumnIndex index = MakeColumnIndex(4, {kDocs});
  const Segment& segment = *index.snapshot->segments()[0];
  SharedExpansions expansions;
  SegmentContext context{
      segment, 0, 0, BestQueryKernels(), expansions, {kDocs, "segment", absl::OkStatus()}};
  const ColumnView& id = *segment.FindColumn("id");
  ColumnKeys keys;
  keys.low = keys.high = id.KeyAt(kDocs / 2).value();
  const ColumnLeaf one(ColumnFilter(id, keys), 1, context);
  EXPECT_TRUE(one.PaysToLookUp(1));
  EXPECT_FALSE(one.PaysToLookUp(kDocs));
  keys.high = id.KeyAt(kDocs - 1).value();
  const ColumnLeaf half(ColumnFilter(id, keys), 1, context);
  EXPECT_TRUE(half.PaysToLookUp(kDocs / 30));
  // A document of several values costs more to look up than to read from the order.
  const ColumnView& nums = *segment.FindColumn("nums");
  const ColumnLeaf some(ColumnFilter(nums, {0, nums.least() + 3000, {}}), 1, context);
  EXPECT_GT(some.Estimate(), 1000u);
  EXPECT_FALSE(some.PaysToLookUp(1000));
}

}  // namespace column_leaf_test
}  // namespace pmdex
