#include "query/algorithm/postings/list_bounds.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/kernel/window_bits.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace list_bounds_test {

constexpr uint32_t kDocs = 12000;

class ListBoundsTest : public WindowedIndexTest<testing::Test, kDocs> {};

TEST_F(ListBoundsTest, BoundsEveryPostingAndKnowsEmptyWindows) {
  for (int rank = 0; rank < 12; ++rank) {
    SCOPED_TRACE(rank);
    const QueryBinding binding = Bind("title:t" + std::to_string(rank));
    const auto list = segment().Postings(*binding.root->terms[0].entries[0]);
    ASSERT_TRUE(list.ok()) << list.status();
    const TermScorer& scorer = binding.root->scorer;
    const std::vector<float> bounds = WindowBounds(*list, scorer, kDocs, BestQueryKernels());
    const float of_list = ListBound(*list, scorer, BestQueryKernels());
    ASSERT_EQ(bounds.size(), WindowCount(kDocs));
    std::vector<bool> has_posting(bounds.size());
    for (uint32_t i = 0; i < list->df; ++i) {
      const uint32_t window = list->Doc(i) / kWindowDocs;
      has_posting[window] = true;
      ASSERT_LE(list->Freq(i), EscapeFreq(*list));
      const float score = scorer.Score(static_cast<float>(list->Freq(i)), list->codes[i]);
      ASSERT_LE(score, bounds[window]);
      ASSERT_LE(score, of_list);
    }
    for (size_t i = 0; i < bounds.size(); ++i) EXPECT_EQ(bounds[i] > 0, has_posting[i]) << i;
  }
}

}  // namespace list_bounds_test
}  // namespace pmdex
