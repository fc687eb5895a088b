// The kernel near_runs of every level, against a search of all positions.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/kernel/kernels.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace near_runs_test {

class NearRunsTest : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
    kernels_ = &QueryKernelsOf(GetParam());
  }

  // The runs of many postings, one after the other. No memory follows the last position.
  struct Runs {
    explicit Runs(size_t count) : begins(count + 64), counts(count + 64) {}
    void Add(size_t i, const std::vector<uint16_t>& run) {
      begins[i] = static_cast<uint32_t>(positions.size());
      counts[i] = static_cast<uint16_t>(run.size());
      positions.insert(positions.end(), run.begin(), run.end());
    }
    RunArrays arrays() { return {positions.data(), begins.data(), counts.data(), nullptr}; }
    std::vector<uint32_t> begins;
    std::vector<uint16_t> counts;
    std::vector<uint16_t> positions;
  };
  std::vector<uint16_t> RandomRun(uint32_t base, uint32_t span, size_t one_in) {
    std::vector<uint16_t> run;
    for (uint32_t p = base; p < base + span; ++p) {
      if (random_.OneIn(one_in)) run.push_back(static_cast<uint16_t>(p));
    }
    return run;
  }

  const QueryKernels* kernels_ = nullptr;
  SeededRandom random_{11};
};

bool IsNear(uint16_t position, PositionRun others, int32_t distance, uint32_t slack) {
  return std::any_of(others.begin(), others.end(), [&](uint16_t other) {
    const int64_t away = int64_t{other} - position - distance;
    return away >= -int64_t{slack} && away <= int64_t{slack};
  });
}

TEST_P(NearRunsTest, FindPositionsForEveryDistanceAndSlack) {
  constexpr size_t kPairs = 300;
  size_t near = 0, far = 0;
  for (const int32_t distance : {1, 0, -1, 5, -40, 65535, -65535, 100000}) {
    for (const uint32_t slack : {0u, 2u, 50u, 70000u, 0xffffffffu}) {
      Runs a(kPairs), b(kPairs);
      for (size_t i = 0; i < kPairs; ++i) {
        const uint32_t span = random_.OneIn(5) ? 900 : 120;
        const uint32_t base = random_.OneIn(2) ? 0 : 65535 - span;
        a.Add(i, RandomRun(base, span, 1 + random_.Below(40)));
        b.Add(i, RandomRun(base, span, 1 + random_.Below(40)));
      }
      a.positions.shrink_to_fit();
      b.positions.shrink_to_fit();
      Runs expected(kPairs);
      for (size_t i = 0; i < kPairs; ++i) {
        std::vector<uint16_t> run;
        for (const uint16_t position : a.arrays()[static_cast<uint32_t>(i)]) {
          const bool is_near =
              IsNear(position, b.arrays()[static_cast<uint32_t>(i)], distance, slack);
          if (is_near) run.push_back(position);
          (is_near ? near : far) += 1;
        }
        expected.Add(i, run);
      }
      std::vector<uint16_t> found(a.positions.size() + 64);
      kernels_->near_runs(a.arrays(), b.arrays(), kPairs, distance, slack, found.data(),
                          a.arrays());
      found.resize(expected.positions.size());
      ASSERT_EQ(found, expected.positions) << distance << " " << slack;
      ASSERT_EQ(a.begins, expected.begins);
      ASSERT_EQ(a.counts, expected.counts);
    }
  }
  EXPECT_GT(near, 10000u);
  EXPECT_GT(far, 10000u);
}

TEST_P(NearRunsTest, FindPositionsThatEndWithMemory) {
  for (size_t size = 1; size <= 40; ++size) {
    Runs a(1), b(1);
    std::vector<uint16_t> run;
    for (size_t i = 0; i < size; ++i) run.push_back(static_cast<uint16_t>(10 * i));
    a.Add(0, run);
    b.Add(0, run);
    b.positions.shrink_to_fit();
    std::vector<uint16_t> found(size + 64);
    kernels_->near_runs(a.arrays(), b.arrays(), 1, 12, 3, found.data(), a.arrays());
    EXPECT_EQ(a.counts[0], size - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, NearRunsTest,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

}  // namespace near_runs_test
}  // namespace pmdex
