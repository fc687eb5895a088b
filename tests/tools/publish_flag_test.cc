#include "tools/publish_flag.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pmdex {
namespace publish_flag_test {

TEST(ParsePublishEvery, TakesTimesInLowerCaseAndSizesWithACapital) {
  IngestOptions options;
  ASSERT_TRUE(ParsePublishEvery("30s", options).ok());
  EXPECT_EQ(options.publish_interval, std::chrono::seconds(30));
  ASSERT_TRUE(ParsePublishEvery("10m", options).ok());
  EXPECT_EQ(options.publish_interval, std::chrono::minutes(10));
  EXPECT_EQ(options.publish_bytes, 0u);
  ASSERT_TRUE(ParsePublishEvery("10M", options).ok());
  EXPECT_EQ(options.publish_bytes, uint64_t{10} << 20);
  EXPECT_EQ(options.publish_interval.count(), 0) << "one of them";
  ASSERT_TRUE(ParsePublishEvery("2GiB", options).ok());
  EXPECT_EQ(options.publish_bytes, uint64_t{2} << 30);
  ASSERT_TRUE(ParsePublishEvery("", options).ok());
  EXPECT_FALSE(options.publishes_parts());
}

TEST(ParsePublishEvery, RefusesWhatIsNeither) {
  IngestOptions options;
  for (const char* text : {"0s", "0G", "0", "30", "s", "G", "-1s", "-1G", "1x", "1 hour", "1.5s",
                           "99999999999999w", "99999999999999999999G"}) {
    const absl::Status status = ParsePublishEvery(text, options);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
    EXPECT_FALSE(options.publishes_parts()) << text;
  }
}

}  // namespace publish_flag_test
}  // namespace pmdex
