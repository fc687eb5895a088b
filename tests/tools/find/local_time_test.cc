#include "tools/find/local_time.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

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

TEST(LocalTime, ReadsTimesWithAZone) {
  const int64_t time = int64_t{1'769'854'830} * kSecond;  // 2026-01-31T10:20:30Z
  EXPECT_EQ(ParseLocalTime("2026-01-31T10:20:30Z"), time);
  EXPECT_EQ(ParseLocalTime("2026-01-31 12:20:30.5 +0200"), time + kSecond / 2);
  EXPECT_EQ(ParseLocalTime("2026-01-31 05:20:30-05:00"), time);
  EXPECT_EQ(ParseLocalTime("@1769854830"), time);
  EXPECT_EQ(ParseLocalTime("@-1"), -kSecond);
}

TEST(LocalTime, WithoutAZoneItIsThatOfTheProcess) {
  for (const char* text : {"2026-01-31 10:20:00", "2026-07-31 10:20:00"}) {
    const auto time = ParseLocalTime(text);
    ASSERT_TRUE(time.has_value()) << text;
    EXPECT_EQ(LocalTimeText(*time, "%Y-%m-%d %H:%M:%S"), text);
    EXPECT_EQ(ParseLocalTime(std::string(text, 16)), time);
  }
  const auto day = ParseLocalTime("2026-01-31");
  ASSERT_TRUE(day.has_value());
  EXPECT_EQ(LocalTimeText(*day, "%Y-%m-%d %H:%M:%S"), "2026-01-31 00:00:00");
}

TEST(LocalTime, RefusesWhatIsNoMoment) {
  for (const char* text :
       {"", "@", "@x", "@1.5", "yesterday", "2026", "2026-01", "2026-01-31T10", "2026-02-30",
        "2026-01-31 25:00", "9999-01-01", "@9223372036854775807"}) {
    EXPECT_EQ(ParseLocalTime(text), std::nullopt) << text;
  }
}

}  // namespace local_time_test
}  // namespace pmdex
