#include "query/aggregations/values/date_interval.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "engine/columns/date_text.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace date_interval_test {

int64_t Time(const std::string& text) {
  return *NarrowDate(ParseDateText(text)->first);
}

DateInterval Interval(const std::string& text, const std::string& zone = "UTC") {
  DateInterval interval = *ParseDateInterval(text);
  interval.zone = *ParseTimeZone(zone);
  return interval;
}

std::string Start(const std::string& interval, const std::string& time,
                  const std::string& zone = "UTC") {
  return FormatDate(StartOfInterval(Interval(interval, zone), Time(time)));
}

TEST(DateInterval, ReadsLengthsAndCalendarUnits) {
  EXPECT_EQ(ParseFixedInterval("90s"), 90'000'000'000);
  EXPECT_EQ(ParseFixedInterval("250ms"), 250'000'000);
  EXPECT_EQ(ParseDateInterval("2d")->count, 2 * 86'400'000'000'000);
  EXPECT_EQ(ParseDateInterval("1q")->count, 3);
  for (const char* const wrong : {"", "h", "0h", "-1h", "1x", "2w", "1.5h", "99999999999d"}) {
    EXPECT_FALSE(ParseDateInterval(wrong).ok()) << wrong;
  }
}

TEST(DateInterval, BeginsWhereTheUnitBegins) {
  const std::string time = "2026-11-23T22:13:14.5Z";
  EXPECT_EQ(Start("1h", time), "2026-11-23T22:00:00Z");
  EXPECT_EQ(Start("1d", time), "2026-11-23T00:00:00Z");
  EXPECT_EQ(Start("1w", time), "2026-11-23T00:00:00Z");  // a Monday
  EXPECT_EQ(Start("1w", "2026-11-22T23:59:59Z"), "2026-11-16T00:00:00Z");
  EXPECT_EQ(Start("1M", time), "2026-11-01T00:00:00Z");
  EXPECT_EQ(Start("3M", time), "2026-10-01T00:00:00Z");
  EXPECT_EQ(Start("1y", time), "2026-01-01T00:00:00Z");
  EXPECT_EQ(Start("10y", time), "2020-01-01T00:00:00Z");
  EXPECT_EQ(Start("1M", "1969-12-31T23:00:00Z"), "1969-12-01T00:00:00Z");
}

TEST(DateInterval, FollowsTheZone) {
  EXPECT_EQ(Start("1d", "2026-11-23T23:30:00Z", "+01:00"), "2026-11-23T23:00:00Z");
  EXPECT_EQ(Start("1M", "2026-10-31T23:30:00Z", "Europe/Berlin"), "2026-10-31T23:00:00Z");
  // The day on which summer time ends has 25 hours.
  const DateInterval day{CalendarUnit::kDay, 1, 0, *ParseTimeZone("Europe/Berlin")};
  const int64_t start = StartOfInterval(day, Time("2026-10-25T12:00:00Z"));
  EXPECT_EQ(FormatDate(start), "2026-10-24T22:00:00Z");
  EXPECT_EQ(FormatDate(NextInterval(day, start)), "2026-10-25T23:00:00Z");
  // Both hours that are shown as 02:00 are intervals of their own.
  const DateInterval hour{CalendarUnit::kHour, 1, 0, day.zone};
  EXPECT_EQ(FormatDate(StartOfInterval(hour, Time("2026-10-25T00:30:00Z"))),
            "2026-10-25T00:00:00Z");
  EXPECT_EQ(FormatDate(StartOfInterval(hour, Time("2026-10-25T01:30:00Z"))),
            "2026-10-25T01:00:00Z");
  EXPECT_FALSE(ParseTimeZone("Nowhere/City").has_value());
  EXPECT_FALSE(ParseTimeZone("+1").has_value());
}

TEST(DateInterval, TakesNoNameThatIsNoZoneOfTheMachine) {
  const std::string root = "/usr/share/zoneinfo/";
  const std::string up = "../../../../../../../..";
  // A named pipe would block whoever opens it, so that this test would not end.
  const std::string pipe = testing::TempDir() + "zone_pipe_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name :
       {pipe, up + pipe, root + "Europe/Berlin", std::string("Europe"), up + root + "Europe/Berlin",
        "Europe/../Europe/Berlin" + up, std::string("libc:localtime"),
        std::string("Fixed/UTC+01:00:00"), std::string(4096, 'a'),
        std::string("Europe/Berlin\0", 14), std::string(":Europe/Berlin"), std::string()}) {
    EXPECT_FALSE(ParseTimeZone(name).has_value()) << name;
  }
  unlink(pipe.c_str());
  EXPECT_TRUE(ParseTimeZone("America/Argentina/Buenos_Aires").has_value());
  EXPECT_TRUE(ParseTimeZone("Etc/GMT+5").has_value());
}

TEST(DateInterval, TakesOffsetsOfDigitsUpToEighteenHours) {
  for (const char* const wrong : {"+-1:30", "-+1:30", "+1", "+18:01", "+01:60", "+ 1:30", "+01:3x",
                                  "+001:30", "+1:30", "-", "+01:-1"}) {
    EXPECT_FALSE(ParseTimeZone(wrong).has_value()) << wrong;
  }
  EXPECT_EQ(ParseTimeZone("+18:00"), absl::FixedTimeZone(18 * 3600));
  EXPECT_EQ(ParseTimeZone("-0130"), absl::FixedTimeZone(-5400));
}

TEST(DateInterval, GoesOnInStepBehindAStartBeforeTheLeastDate) {
  for (const auto& [text, next] :
       {std::pair("10y", "1680-01-01T00:00:00Z"), std::pair("100y", "1700-01-01T00:00:00Z"),
        std::pair("5M", "1677-12-01T00:00:00Z"), std::pair("1w", "1677-09-27T00:00:00Z")}) {
    const DateInterval interval = *ParseDateInterval(text);
    const int64_t least = std::numeric_limits<int64_t>::min();
    const int64_t start = StartOfInterval(interval, least);
    EXPECT_EQ(start, least) << text;
    EXPECT_EQ(FormatDate(NextInterval(interval, start)), next) << text;
    EXPECT_EQ(StartOfInterval(interval, NextInterval(interval, start)),
              NextInterval(interval, start));
  }
}

TEST(DateInterval, MovesByItsOffset) {
  DateInterval day = Interval("1d");
  day.offset = 6 * 3'600'000'000'000;
  EXPECT_EQ(FormatDate(StartOfInterval(day, Time("2026-11-23T05:00:00Z"))), "2026-11-22T06:00:00Z");
}

TEST(DateInterval, CoversTimeWithoutGaps) {
  SeededRandom random(8);
  for (const char* const zone : {"UTC", "Europe/Berlin", "America/St_Johns", "-0530"}) {
    for (const char* const text : {"1h", "7h", "1d", "1w", "1M", "5M", "1y", "90s"}) {
      const DateInterval interval = Interval(text, zone);
      for (int i = 0; i < 200; ++i) {
        const auto time = static_cast<int64_t>(random.Below(uint64_t{2} << 60));
        const int64_t start = StartOfInterval(interval, time);
        const int64_t next = NextInterval(interval, start);
        ASSERT_LE(start, time) << zone << text;
        ASSERT_LT(time, next) << zone << text;
        ASSERT_EQ(StartOfInterval(interval, start), start) << zone << text << FormatDate(time);
        ASSERT_EQ(StartOfInterval(interval, next), next) << zone << text << FormatDate(time);
      }
    }
  }
}

TEST(DateInterval, IsChosenSoThatFewCoverTheTimes) {
  const auto chosen = [](const std::string& first, const std::string& last) {
    return ChooseDateInterval(Time(first), Time(last), 20);
  };
  EXPECT_EQ(chosen("2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z").count, 3'600'000'000'000);
  EXPECT_EQ(chosen("2026-01-01", "2026-11-30").unit, CalendarUnit::kMonth);
  EXPECT_EQ(chosen("2010-01-01", "2026-11-30").unit, CalendarUnit::kYear);
  EXPECT_EQ(chosen("1700-01-01", "2250-01-01").count, 50);
}

}  // namespace date_interval_test
}  // namespace pmdex
