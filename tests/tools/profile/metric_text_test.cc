#include "tools/profile/metric_text.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace metric_text_test {

TEST(MetricText, KeepsThreeDigits) {
  EXPECT_EQ(MetricText(0.12345, "share of slots"), "0.123");
  EXPECT_EQ(MetricText(12.345, "us"), "12.3");
  EXPECT_EQ(MetricText(123.45, "us"), "123");
  EXPECT_EQ(MetricText(1234567.8, "us"), "1,234,568");
  EXPECT_EQ(MetricText(-1234, "us"), "-1,234");
  EXPECT_EQ(MetricText(0, "us"), "0");
  EXPECT_EQ(MetricText(0.00123, "us"), "1.23e-03");
  EXPECT_EQ(MetricText(1e20, "us"), "1.000e+20");
}

TEST(MetricText, WritesRangesWithTheirLastValue) {
  EXPECT_EQ(RangeText(0, 1), "0");
  EXPECT_EQ(RangeText(1000, 3000), "1,000 to 2,999");
}

}  // namespace metric_text_test
}  // namespace pmdex
