#include "engine/columns/date_text.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace pmdex {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::optional<int64_t> First(std::string_view text) {
  const auto date = ParseDateText(text);
  if (!date.has_value()) return std::nullopt;
  return NarrowDate(date->first);
}

std::string Last(std::string_view text) {
  const auto date = ParseDateText(text);
  return date.has_value() ? FormatDate(static_cast<int64_t>(date->last)) : "none";
}

TEST(DateTextTest, DatesOfRfc3339AreReadWithAnyZone) {
  EXPECT_EQ(First("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(First("1970-01-01t00:00:01z"), kSecond);
  EXPECT_EQ(First("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(First("1969-12-31T18:30:00-0530"), 0);
  EXPECT_EQ(First("2000-02-29T12:00:00.5Z"), 951825600 * kSecond + kSecond / 2);
  EXPECT_EQ(First("1970-01-01T00:00:00.000000001Z"), 1);
  EXPECT_EQ(First("1969-12-31T23:59:59.999999999Z"), -1);
}

TEST(DateTextTest, MissingPartsAreThoseOfTheStartOrOfTheEnd) {
  EXPECT_EQ(First("1970"), 0);
  EXPECT_EQ(First("1970-01"), 0);
  EXPECT_EQ(First("1970-01-02"), 86400 * kSecond);
  EXPECT_EQ(First("1970-01-01T00:01"), 60 * kSecond);
  EXPECT_EQ(Last("1970"), "1970-12-31T23:59:59.999999999Z");
  EXPECT_EQ(Last("2024-02"), "2024-02-29T23:59:59.999999999Z");
  EXPECT_EQ(Last("2026-01-31"), "2026-01-31T23:59:59.999999999Z");
  EXPECT_EQ(Last("2026-01-31T10"), "2026-01-31T10:59:59.999999999Z");
  EXPECT_EQ(Last("2026-01-31T10+02:00"), "2026-01-31T08:59:59.999999999Z");
  EXPECT_EQ(Last("2026-01-31T10:20"), "2026-01-31T10:20:59.999999999Z");
  EXPECT_EQ(Last("2026-01-31T10:20:30Z"), "2026-01-31T10:20:30.999999999Z");
  EXPECT_EQ(Last("2026-01-31T10:20:30.5Z"), "2026-01-31T10:20:30.5Z");
}

TEST(DateTextTest, WhatIsNoDateIsRefused) {
  for (const std::string_view text : {"",
                                      "x",
                                      "70",
                                      "197",
                                      "19700101",
                                      "1970-1-1",
                                      "1970-13-01",
                                      "1970-00-01",
                                      "1970-01-32",
                                      "2023-02-29",
                                      "1970-01-01T",
                                      "1970-01-01T0",
                                      "1970-01-01 00:00:00Z",
                                      "1970-01-01T24:00:00Z",
                                      "1970-01-01T00:60:00Z",
                                      "2016-12-31T23:59:60Z",
                                      "1970-01-01T00:00:00.Z",
                                      "1970-01-01T00:00:00.0000000001Z",
                                      "1970-01-01T00:00:00+24:00",
                                      "1970-01-01T00:00:00+0",
                                      "1970-01-01T00:00:00ZZ",
                                      "1970-01-01Z",
                                      "-1970-01-01",
                                      "1970-01-01T00:00:00Z "}) {
    EXPECT_FALSE(ParseDateText(text).has_value()) << text;
  }
}

TEST(DateTextTest, TheFirstAndTheLastDateOf64BitsFit) {
  EXPECT_EQ(First("1677-09-21T00:12:43.145224192Z"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(First("1677-09-21T00:12:43.145224191Z"), std::nullopt);
  EXPECT_EQ(First("2262-04-11T23:47:16.854775807Z"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(First("2262-04-11T23:47:16.854775808Z"), std::nullopt);
  EXPECT_EQ(First("0000-01-01"), std::nullopt);
  EXPECT_EQ(First("9999-12-31"), std::nullopt);
}

TEST(DateTextTest, DatesAreWrittenWithNoMoreDigitsThanNeeded) {
  EXPECT_EQ(FormatDate(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatDate(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(FormatDate(120'000'000), "1970-01-01T00:00:00.12Z");
  EXPECT_EQ(FormatDate(std::numeric_limits<int64_t>::min()), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(FormatDate(std::numeric_limits<int64_t>::max()), "2262-04-11T23:47:16.854775807Z");
}

// The usual form is read by itself.
TEST(DateTextTest, TheUsualFormIsReadAsTheSameTimeInAnotherForm) {
  std::mt19937_64 random(9);
  int read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = FormatDate(static_cast<int64_t>(random()) / kSecond * kSecond);
    if (random() % 2 == 0) text[random() % 19] = "0123456789-:T /x"[random() % 16];
    ASSERT_EQ(text.size(), 20u);
    const auto usual = ParseDateText(text);
    const auto other = ParseDateText(text.substr(0, 19) + "+00:00");
    ASSERT_EQ(usual.has_value(), other.has_value()) << text;
    if (!usual.has_value()) continue;
    ++read;
    EXPECT_TRUE(usual->first == other->first && usual->last == other->last) << text;
    EXPECT_EQ(usual->precision, other->precision);
    EXPECT_TRUE(usual->has_zone);
  }
  EXPECT_GT(read, 25'000);
}

TEST(DateTextTest, WrittenDatesAreReadAsTheSameAndAgreeWithTheCalendarOfTheSystem) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<int64_t>(random());
    const std::string text = FormatDate(value);
    ASSERT_EQ(First(text), value) << text;
    const std::time_t seconds = value / kSecond - (value % kSecond < 0 ? 1 : 0);
    std::tm parts;
    gmtime_r(&seconds, &parts);
    char expected[32];
    std::strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S", &parts);
    ASSERT_EQ(text.substr(0, 19), expected);
  }
}

}  // namespace
}  // namespace pmdex
