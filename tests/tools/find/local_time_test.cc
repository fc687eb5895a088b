#include "tools/find/local_time.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace local_time_test {

constexpr int64_t kSecond = 1'000'000'000;

TEST(LocalTime, SecondsAreRoundedDown) {
  EXPECT_EQ(SecondsOf(0), 0);
  EXPECT_EQ(SecondsOf(kSecond - 1), 0);
  EXPECT_EQ(SecondsOf(kSecond), 1);
  EXPECT_EQ(SecondsOf(-1), -1);
  EXPECT_EQ(SecondsOf(-kSecond), -1);
}

TEST(LocalTime, TextHasTheFormat) {
  // Noon, so that the day is the same in most zones.
  EXPECT_EQ(LocalTimeText(int64_t{1'700'049'600} * kSecond, "%Y-%m"), "2023-11");
  EXPECT_EQ(LocalTimeText(0, "plain"), "plain");
}

}  // namespace local_time_test
}  // namespace pmdex
