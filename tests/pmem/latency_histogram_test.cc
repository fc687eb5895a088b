#include "pmem/latency_histogram.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace latency_histogram_test {

using std::chrono::microseconds;

TEST(LatencyHistogram, CountsEachDurationInTheBucketOfTheNextBound) {
  LatencyHistogram histogram;
  histogram.Add(microseconds(0));
  histogram.Add(microseconds(10));
  histogram.Add(microseconds(11));
  histogram.Add(microseconds(-5));
  histogram.Add(std::chrono::hours(1));
  EXPECT_EQ(histogram.count(0), 3u);
  EXPECT_EQ(histogram.count(1), 1u);
  EXPECT_EQ(histogram.count(LatencyHistogram::kBoundsUs.size()), 1u);
  EXPECT_DOUBLE_EQ(histogram.sum_seconds(), 3600.000021);
}

}  // namespace latency_histogram_test
}  // namespace pmdex
