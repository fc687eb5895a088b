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

}  // namespace column_leaf_test
}  // namespace pmdex
