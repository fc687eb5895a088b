#include "tools/find/disk_usage.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace disk_usage_test {

TEST(DiskUsage, FiguresAreRoundedUpAsDuRoundsThem) {
  EXPECT_EQ(UsageText(0, UsageUnit::kBlocks), "0");
  EXPECT_EQ(UsageText(1, UsageUnit::kBlocks), "1");
  EXPECT_EQ(UsageText(1025, UsageUnit::kBlocks), "2");
  EXPECT_EQ(UsageText(1025, UsageUnit::kBytes), "1025");
  EXPECT_EQ(UsageText(0, UsageUnit::kHuman), "0");
  EXPECT_EQ(UsageText(1023, UsageUnit::kHuman), "1023");
  EXPECT_EQ(UsageText(1024, UsageUnit::kHuman), "1.0K");
  EXPECT_EQ(UsageText(1025, UsageUnit::kHuman), "1.1K");
  EXPECT_EQ(UsageText(10137, UsageUnit::kHuman), "9.9K");
  EXPECT_EQ(UsageText(10138, UsageUnit::kHuman), "10K");
  EXPECT_EQ(UsageText(10240, UsageUnit::kHuman), "10K");
  EXPECT_EQ(UsageText(10241, UsageUnit::kHuman), "11K");
  EXPECT_EQ(UsageText(1023 * 1024, UsageUnit::kHuman), "1023K");
  EXPECT_EQ(UsageText(1023 * 1024 + 1, UsageUnit::kHuman), "1.0M");
  EXPECT_EQ(UsageText(uint64_t{5} << 40, UsageUnit::kHuman), "5.0T");
}

}  // namespace disk_usage_test
}  // namespace pmdex
