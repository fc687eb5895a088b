#include "engine/ingest/logs/log_clock.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/columns/date_text.h"

namespace pmdex {
namespace log_clock_test {

int64_t Moment(std::string_view text) {
  return *NarrowDate(ParseDateText(text)->first);
}

std::string TimeIn(std::string_view zone, std::string_view line, std::string_view mtime) {
  const auto clock = LogClock::Open(zone);
  EXPECT_TRUE(clock.ok()) << clock.status();
  const auto time = clock->TimeOf(line, Moment(mtime));
  return time.has_value() ? FormatDate(*time) : "none";
}

TEST(LogClock, PutsStampsWithoutAZoneIntoItsOwn) {
  constexpr std::string_view kLine = "2026-01-31 10:20:30,5 x";
  EXPECT_EQ(TimeIn("UTC", kLine, "2026"), "2026-01-31T10:20:30.5Z");
  EXPECT_EQ(TimeIn("+01:00", kLine, "2026"), "2026-01-31T09:20:30.5Z");
  EXPECT_EQ(TimeIn("-0530", kLine, "2026"), "2026-01-31T15:50:30.5Z");
  EXPECT_EQ(TimeIn("+01:00", "2026-01-31T10:20:30+03:00", "2026"), "2026-01-31T07:20:30Z");
  EXPECT_EQ(TimeIn("+01:00", "1643624430.5 x", "2026"), "2022-01-31T10:20:30.5Z");
}

TEST(LogClock, KnowsSummerTime) {
  if (!LogClock::Open("Europe/Berlin").ok()) GTEST_SKIP() << "no database of time zones";
  EXPECT_EQ(TimeIn("Europe/Berlin", "2026-01-31 10:20:30 x", "2026"), "2026-01-31T09:20:30Z");
  EXPECT_EQ(TimeIn("Europe/Berlin", "2026-07-31 10:20:30 x", "2026"), "2026-07-31T08:20:30Z");
  EXPECT_EQ(TimeIn("Europe/Berlin", "2026-10-25 02:30:00 x", "2026"), "2026-10-25T00:30:00Z");
}

TEST(LogClock, RefusesWhatIsNoZone) {
  for (const std::string_view zone : {"", "Mars/Olympus", "+1", "+19:00", "+01:99", "+0a:00"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(LogClock::Open(zone).status())) << zone;
  }
}

TEST(LogClock, TakesTheLatestYearBeforeTheFileWasChanged) {
  constexpr std::string_view kLine = "Jan  2 03:04:05 host x";
  EXPECT_EQ(TimeIn("UTC", kLine, "2026-01-02T03:04:05Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(TimeIn("UTC", kLine, "2026-01-02T03:04:04Z"), "2025-01-02T03:04:05Z");
  EXPECT_EQ(TimeIn("UTC", kLine, "2026-12-31T00:00:00Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(TimeIn("UTC", "Dec 31 23:59:59 x", "2026-01-01T00:00:00Z"), "2025-12-31T23:59:59Z");
  // In the zone it is the new year already, and in another one not yet.
  EXPECT_EQ(TimeIn("+02:00", "Jan  1 01:00:00 x", "2025-12-31T23:30:00Z"), "2025-12-31T23:00:00Z");
  EXPECT_EQ(TimeIn("-02:00", "Dec 31 23:00:00 x", "2026-01-01T01:30:00Z"), "2026-01-01T01:00:00Z");
}

TEST(LogClock, FindsTheLeapDayInALeapYear) {
  EXPECT_EQ(TimeIn("UTC", "Feb 29 01:00:00 x", "2026-01-01"), "2024-02-29T01:00:00Z");
  EXPECT_EQ(TimeIn("UTC", "Feb 29 01:00:00 x", "2104-01-01"), "2096-02-29T01:00:00Z");
  EXPECT_EQ(TimeIn("UTC", "Feb 30 01:00:00 x", "2026-01-01"), "none");
  EXPECT_EQ(TimeIn("UTC", "2026-02-29 01:00:00 x", "2026-01-01"), "none");
  EXPECT_EQ(TimeIn("UTC", "2024-02-29 01:00:00 x", "2026-01-01"), "2024-02-29T01:00:00Z");
}

TEST(LogClock, CountsALeapSecondAsTheNextMinute) {
  EXPECT_EQ(TimeIn("UTC", "2016-12-31T23:59:60Z", "2026"), "2017-01-01T00:00:00Z");
}

TEST(LogClock, ReadsEveryYearThatAStampMayHave) {
  for (const int year : {1970, 1999, 2000, 2100, 2261}) {
    const std::string line = std::to_string(year) + "-12-31 23:59:59";
    EXPECT_EQ(TimeIn("UTC", line, "2026"), std::to_string(year) + "-12-31T23:59:59Z");
  }
}

TEST(LogClock, FindsTheLastTimeOfText) {
  const LogClock clock = *LogClock::Open("UTC");
  const auto last = [&](std::string_view text) { return clock.LastTimeIn(text, 0); };
  EXPECT_EQ(last(""), std::nullopt);
  EXPECT_EQ(last("\n\nnone\n"), std::nullopt);
  const std::string text = "2026-01-01 00:00:00 a\n2026-01-02 00:00:00 b\r\n\n\tat x\n";
  EXPECT_EQ(last(text), Moment("2026-01-02"));
  EXPECT_EQ(last(text + "2026-01-03 00:00:00"), Moment("2026-01-03"));
}

}  // namespace log_clock_test
}  // namespace pmdex
