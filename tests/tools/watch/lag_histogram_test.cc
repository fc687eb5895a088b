#include "tools/watch/lag_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pmdex {
namespace lag_histogram_test {

using std::chrono::microseconds;

TEST(LagHistogram, HasNoQuantileWithoutDurations) {
  EXPECT_EQ(LagHistogram().Quantile(0.99), microseconds(0));
  EXPECT_EQ(LagHistogram().max(), microseconds(0));
}

TEST(LagHistogram, QuantilesAreThoseOfTheSortedDurationsWithinFourPercent) {
  std::mt19937_64 random(3);
  LagHistogram histogram;
  std::vector<int64_t> all;
  for (int i = 0; i < 20'000; ++i) {
    const auto us = static_cast<int64_t>(random() >> (24 + random() % 40));
    all.push_back(us);
    histogram.Add(microseconds(us));
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(histogram.count(), all.size());
  EXPECT_EQ(histogram.max().count(), all.back());
  for (const double part : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto index = static_cast<size_t>(part * static_cast<double>(all.size())) - 1;
    const auto exact = static_cast<double>(all[index]);
    const auto found = static_cast<double>(histogram.Quantile(part).count());
    EXPECT_GE(found, exact) << part;
    EXPECT_LE(found, exact * 1.04 + 1) << part;
  }
}

TEST(LagHistogram, TakesTheLongestDurationAndThoseBelowZero) {
  LagHistogram histogram;
  histogram.Add(std::chrono::nanoseconds::max());
  histogram.Add(std::chrono::nanoseconds(-5));
  EXPECT_EQ(histogram.Quantile(0.5), microseconds(0));
  EXPECT_EQ(histogram.Quantile(1), histogram.max());
}

}  // namespace lag_histogram_test
}  // namespace pmdex
