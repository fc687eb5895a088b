#include "tools/server/mapping/date_format.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/server/mapping/date_parser.h"

namespace pmdex {
namespace date_format_test {

std::string Shown(WideNanoseconds nanoseconds) {
  const auto narrow = NarrowDate(nanoseconds);
  return narrow.has_value() ? FormatDate(*narrow) : "beyond";
}
std::string First(const std::string& format, const std::string& text) {
  const auto parsed = DateFormat::Parse(format);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const auto date = parsed->Read(text);
  return date.has_value() ? Shown(date->first) : "no date";
}
std::string Last(const std::string& format, const std::string& text) {
  return Shown(DateFormat::Parse(format)->Read(text)->last);
}

TEST(DateFormat, ReadsRfc3339AndMillisecondsUnlessAMappingSaysOtherwise) {
  const DateFormat format;
  EXPECT_EQ(format.text(), "strict_date_optional_time||epoch_millis");
  EXPECT_EQ(Shown(format.Read("2026-01-02T03:04:05.123456789+02:00")->first),
            "2026-01-02T01:04:05.123456789Z");
  EXPECT_EQ(Shown(format.Read("2026")->first), "2026-01-01T00:00:00Z");
  EXPECT_EQ(Shown(format.Read("2026-01-02T03")->first), "2026-01-02T03:00:00Z");
  EXPECT_EQ(Shown(format.Read("20260")->first), "1970-01-01T00:00:20.26Z");
  EXPECT_EQ(Shown(format.Read("-1.5")->first), "1969-12-31T23:59:59.9985Z");
  EXPECT_EQ(Shown(format.Read("1e3")->first), "1970-01-01T00:00:01Z");
  for (const char* text : {"", "x", "2026-1-1", "2026-02-30", "2026-01-01t00:00:00z", "1.", "--1",
                           "99999999999999999999", "2026-01-01T24:00:00Z"}) {
    EXPECT_FALSE(format.Read(text).has_value()) << text;
  }
}

TEST(DateFormat, ReadsPatternsOfLetters) {
  EXPECT_EQ(First("dd.MM.yyyy HH:mm", "31.01.2026 10:20"), "2026-01-31T10:20:00Z");
  EXPECT_EQ(First("d.M.yy", "1.2.26"), "2026-02-01T00:00:00Z");
  EXPECT_EQ(First("yyyyMMdd'T'HHmmssSSS", "20260131T102030007"), "2026-01-31T10:20:30.007Z");
  EXPECT_EQ(First("EEE, d MMM yyyy HH:mm:ss Z", "Sat, 31 Jan 2026 10:20:30 +0130"),
            "2026-01-31T08:50:30Z");
  EXPECT_EQ(First("yyyy-MM-dd h:mm a", "2026-01-31 12:05 AM"), "2026-01-31T00:05:00Z");
  EXPECT_EQ(First("yyyy-MM-dd[ HH:mm[:ss]]", "2026-01-31 10:20"), "2026-01-31T10:20:00Z");
  EXPECT_EQ(First("yyyy-MM-dd[ HH:mm[:ss]]", "2026-01-31"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(First("HH:mm", "10:20"), "1970-01-01T10:20:00Z");
  EXPECT_EQ(First("HH:mmXXX", "10:20+02:00"), "1970-01-01T08:20:00Z");
  EXPECT_EQ(First("MMMM yyyy 'o''clock'", "March 2026 o'clock"), "no date");  // two quotes end it
  EXPECT_EQ(First("dd.MM.yyyy", "30.02.2026"), "no date");
  EXPECT_EQ(First("EEE yyyy-MM-dd", "Mon 2026-01-31"), "no date");  // a Saturday
  EXPECT_EQ(First("dd.MM.yyyy", "1.2.2026"), "no date");
  EXPECT_EQ(First("dd.MM.yyyy", "01.02.2026 "), "no date");
}

TEST(DateFormat, TakesTheFirstOfSeveralThatFits) {
  const char* const formats = "dd.MM.yyyy||epoch_second||basic_date_time_no_millis";
  EXPECT_EQ(First(formats, "02.01.2026"), "2026-01-02T00:00:00Z");
  EXPECT_EQ(First(formats, "86400"), "1970-01-02T00:00:00Z");
  EXPECT_EQ(First(formats, "20260102T030405Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(First(formats, "2026-01-02"), "no date");
  EXPECT_EQ(First("strict_date", "2026-01-02"), "2026-01-02T00:00:00Z");
  EXPECT_EQ(First("date_optional_time", "2026-1-2"), "2026-01-02T00:00:00Z");
}

// Elasticsearch fills a missing month and day with the first one, also for the last moment.
TEST(DateFormat, KnowsTheLastMomentOfADateWithMissingParts) {
  EXPECT_EQ(Last("yyyy", "2026"), "2026-01-01T23:59:59.999999999Z");
  EXPECT_EQ(Last("strict_date_optional_time", "2026"), "2026-01-01T23:59:59.999999999Z");
  EXPECT_EQ(Last("strict_date_optional_time", "2026-05"), "2026-05-01T23:59:59.999999999Z");
  EXPECT_EQ(Last("strict_date_optional_time", "2026-05-02T10:20"),
            "2026-05-02T10:20:59.999999999Z");
  EXPECT_EQ(Last("yyyy-MM-dd HH", "2026-05-02 10"), "2026-05-02T10:59:59.999999999Z");
  EXPECT_EQ(Last("epoch_millis", "7"), "1970-01-01T00:00:00.007999999Z");
}

TEST(DateFormat, NamesWhatItDoesNotKnow) {
  for (const char* format : {"nonsense", "", "yyyy||", "YYYY", "dd MMMMM", "d/M/yyyy]", "[yyyy",
                             "yyyy 'open", "Mdyyyy", "yyyy{", "SSSSSSSSSS", "z"}) {
    const auto parsed = DateFormat::Parse(format);
    ASSERT_FALSE(parsed.ok()) << format;
    EXPECT_NE(std::string(parsed.status().message()).find("Invalid format: ["), std::string::npos);
  }
}

TEST(DateParser, ReadsThePartsThatATextNames) {
  const auto parser = DateParser::Parse("yyyy[-MM]X");
  ASSERT_TRUE(parser.ok());
  const auto parts = parser->Read("2026-05+0130");
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->year, 2026);
  EXPECT_EQ(parts->month, 5);
  EXPECT_EQ(parts->zone_seconds, 5400);
  EXPECT_FALSE(parts->day.has_value());
  EXPECT_FALSE(parser->Read("2026Z")->month.has_value());
  EXPECT_FALSE(DateParser::Parse("yyyy yyyy")->Read("2026 2027").has_value());
}

}  // namespace date_format_test
}  // namespace pmdex
