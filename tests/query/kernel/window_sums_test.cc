// The kernels that add scores to the sums of a window, in single and in double precision.
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/kernel/kernels.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace window_sums_test {

// Every level that this CPU supports.
class WindowSumKernels : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
    kernels_ = &QueryKernelsOf(GetParam());
  }

  void Add(const WindowBits& bits, const std::vector<float>& scores, WindowSums& sums) const {
    kernels_->add_scores(bits.words.data(), scores.data(), sums);
  }
  void Add(const WindowBits& bits, const std::vector<float>& scores, WindowTotals& totals) const {
    kernels_->add_to_totals(bits.words.data(), scores.data(), totals);
  }
  void Keep(const WindowSums& sums, float least, WindowBits& bits) const {
    kernels_->keep_sums(sums, least, bits);
  }
  void Keep(const WindowTotals& totals, double least, WindowBits& bits) const {
    kernels_->keep_totals(totals, least, bits);
  }

  template <typename Sums>
  void ExpectAdds() {
    using Number = typename decltype(Sums::of)::value_type;
    for (const size_t one_in : {1, 2, 7, 60, 5000}) {
      WindowBits bits;
      for (uint32_t doc = 0; doc < kWindowDocs; ++doc) {
        if (random_.OneIn(one_in)) bits.Set(doc);
      }
      std::vector<float> scores(bits.Count() + 16);
      for (float& score : scores) score = static_cast<float>(random_.Below(1000)) / 7;
      Sums sums;
      for (Number& sum : sums.of) sum = static_cast<Number>(random_.Below(1000)) / 3;
      Sums expected = sums;
      const float* next = scores.data();
      bits.ForEach([&](uint32_t doc) {
        expected.of[doc] += *next++;
        return true;
      });
      Add(bits, scores, sums);
      ASSERT_EQ(sums.of, expected.of) << one_in;
    }
  }

  template <typename Sums>
  void ExpectKeeps() {
    using Number = typename decltype(Sums::of)::value_type;
    Sums sums;
    for (Number& sum : sums.of) sum = static_cast<Number>(random_.Below(100));
    for (const Number least : {-1, 0, 37, 99, 100}) {
      WindowBits bits;
      for (uint32_t doc = 0; doc < kWindowDocs; doc += 1 + random_.Below(9)) bits.Set(doc);
      WindowBits expected;
      bits.ForEach([&](uint32_t doc) {
        if (sums.of[doc] >= least) expected.Set(doc);
        return true;
      });
      Keep(sums, least, bits);
      EXPECT_EQ(bits.words, expected.words) << least;
    }
  }

  const QueryKernels* kernels_ = nullptr;
  SeededRandom random_{7};
};

TEST_P(WindowSumKernels, AddScoresToTheDocumentsThatHaveThem) {
  ExpectAdds<WindowSums>();
  ExpectAdds<WindowTotals>();
}

TEST_P(WindowSumKernels, KeepSumsOfDocumentsThatReachThem) {
  ExpectKeeps<WindowSums>();
  ExpectKeeps<WindowTotals>();
}

// A difference that single precision does not have.
TEST_P(WindowSumKernels, KeepTotalsByTheirLastBits) {
  WindowTotals totals;
  totals.of.fill(1.0 + 1e-12);
  totals.of[7] = 1.0;
  totals.of[4000] = 1.0 - 1e-12;
  WindowBits bits;
  for (const uint32_t doc : {6, 7, 8, 4000}) bits.Set(doc);
  WindowBits expected;
  for (const uint32_t doc : {6, 8}) expected.Set(doc);
  kernels_->keep_totals(totals, 1.0 + 1e-13, bits);
  EXPECT_EQ(bits.words, expected.words);
}

INSTANTIATE_TEST_SUITE_P(Levels, WindowSumKernels,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

}  // namespace window_sums_test
}  // namespace pmdex
