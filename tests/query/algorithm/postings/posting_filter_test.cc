#include "query/algorithm/postings/posting_filter.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/postings/bound_builder.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace posting_filter_test {

class PostingFilterTest : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
  }

  // Frequencies that grow with the length, so that no block's points are of its own postings alone.
  void MakeList(uint32_t df) {
    freqs_.assign(df + 64, 0);
    codes_.assign(df + 64, 0);
    BoundBuilder builder;
    for (uint32_t i = 0; i < df; ++i) {
      codes_[i] = static_cast<uint8_t>(40 + random_.Below(60));
      freqs_[i] = static_cast<uint8_t>(1 + random_.Below(1 + codes_[i] / 10));
      builder.Add(freqs_[i], codes_[i]);
      if ((i + 1) % kBlockPostings != 0 && i + 1 != df) continue;
      bounds_.push_back(builder.Points());
      builder.Clear();
    }
    list_.df = df;
    list_.freqs = freqs_.data();
    list_.codes = codes_.data();
    list_.block_bounds = bounds_;
  }

  void ExpectExact(uint32_t begin, uint32_t end, const LeastFreqs& table, TableOrder order) {
    PassingPostings passing;
    const bool any =
        FilterPostings(list_, begin, end, table, order, QueryKernelsOf(GetParam()), passing);
    bool expected_any = false;
    for (uint32_t i = begin; i < end; ++i) {
      const bool expected = freqs_[i] >= table.least[codes_[i]];
      expected_any |= expected;
      const uint32_t bit = i - begin;
      const bool passes = any && (passing.words[bit / 64] >> (bit % 64) & 1) != 0;
      ASSERT_EQ(passes, expected) << i << " of " << begin << " to " << end;
    }
    ASSERT_EQ(any, expected_any);
  }

  SeededRandom random_{17};
  std::vector<uint8_t> freqs_, codes_;
  std::vector<BoundPoints> bounds_;
  PostingListView list_;
};

TEST_P(PostingFilterTest, LetsPassWhatReachesTheTableWhateverItsOrder) {
  MakeList(20000);
  for (int round = 0; round < 300; ++round) {
    const auto begin = static_cast<uint32_t>(random_.Below(list_.df - 1));
    const uint32_t most = std::min(kWindowDocs, list_.df - begin);
    const uint32_t end = begin + 1 + static_cast<uint32_t>(random_.Below(most));
    LeastFreqs table;
    for (uint8_t& least : table.least) least = static_cast<uint8_t>(1 + random_.Below(14));
    if (round % 2 == 0) {  // much of short documents, little of long ones
      std::sort(table.least.begin(), table.least.end(), std::greater<>());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectExact(begin, end, table, TableOrder::kAny));
    std::sort(table.least.begin(), table.least.end());
    ASSERT_NO_FATAL_FAILURE(ExpectExact(begin, end, table, TableOrder::kAscending));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, PostingFilterTest,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& param) { return std::string(ToString(param.param)); });

}  // namespace posting_filter_test
}  // namespace pmdex
