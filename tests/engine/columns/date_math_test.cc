#include "engine/columns/date_math.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "engine/columns/date_text.h"

namespace pmdex {
namespace {

// 2026-01-31T10:20:30.5Z, a Saturday.
constexpr int64_t kNow = 1'769'854'830'500'000'000;

std::string Bound(std::string_view text, DateRounding rounding) {
  const auto bound = ParseDateBound(text, kNow, rounding);
  if (!bound.has_value()) return "none";
  if (bound->beyond != 0) return bound->beyond < 0 ? "before" : "behind";
  return FormatDate(bound->nanoseconds);
}
std::string Start(std::string_view text) {
  return Bound(text, DateRounding::kStart);
}
std::string End(std::string_view text) {
  return Bound(text, DateRounding::kEnd);
}

TEST(DateMathTest, NowMovesByUnits) {
  EXPECT_EQ(Start("now"), "2026-01-31T10:20:30.5Z");
  EXPECT_EQ(End("now"), "2026-01-31T10:20:30.5Z");
  EXPECT_EQ(Start("now-1s"), "2026-01-31T10:20:29.5Z");
  EXPECT_EQ(Start("now+5m"), "2026-01-31T10:25:30.5Z");
  EXPECT_EQ(Start("now-11h"), "2026-01-30T23:20:30.5Z");
  EXPECT_EQ(Start("now-7d"), "2026-01-24T10:20:30.5Z");
  EXPECT_EQ(Start("now-1w"), "2026-01-24T10:20:30.5Z");
  EXPECT_EQ(Start("now-d"), "2026-01-30T10:20:30.5Z");
}

TEST(DateMathTest, MonthsAndYearsTakeTheLastDayOfAShorterMonth) {
  EXPECT_EQ(Start("now+1M"), "2026-02-28T10:20:30.5Z");
  EXPECT_EQ(Start("now+1M+1M"), "2026-03-28T10:20:30.5Z");
  EXPECT_EQ(Start("now-14M"), "2024-11-30T10:20:30.5Z");
  EXPECT_EQ(Start("2024-02-29||+1y"), "2025-02-28T00:00:00Z");
  EXPECT_EQ(Start("2024-02-29||-4y"), "2020-02-29T00:00:00Z");
}

TEST(DateMathTest, RoundingGoesToTheStartOrTheEndOfTheUnit) {
  EXPECT_EQ(Start("now/d"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(End("now/d"), "2026-01-31T23:59:59.999999999Z");
  EXPECT_EQ(Start("now/w"), "2026-01-26T00:00:00Z");
  EXPECT_EQ(End("now/w"), "2026-02-01T23:59:59.999999999Z");
  EXPECT_EQ(Start("now+1M/d"), "2026-02-28T00:00:00Z");
  EXPECT_EQ(End("now/M"), "2026-01-31T23:59:59.999999999Z");
  EXPECT_EQ(Start("now/y"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(End("now-7d/d"), "2026-01-24T23:59:59.999999999Z");
  EXPECT_EQ(Start("now/h"), "2026-01-31T10:00:00Z");
  EXPECT_EQ(End("now/s"), "2026-01-31T10:20:30.999999999Z");
  EXPECT_EQ(Start("1969-12-31T23:00:00||/w"), "1969-12-29T00:00:00Z");
}

TEST(DateMathTest, MissingPartsAreFilled) {
  EXPECT_EQ(Start("2026-01"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(End("2026-01"), "2026-01-31T23:59:59.999999999Z");
  EXPECT_EQ(Start("2026-01-05T10:00:00Z"), "2026-01-05T10:00:00Z");
  EXPECT_EQ(End("2026-01-05T10:00:00Z"), "2026-01-05T10:00:00.999999999Z");
}

TEST(DateMathTest, IntegersAreMilliseconds) {
  EXPECT_EQ(Start("1500000000000"), "2017-07-14T02:40:00Z");
  EXPECT_EQ(End("1500000000000"), "2017-07-14T02:40:00.000999999Z");
  EXPECT_EQ(Start("-1000"), "1969-12-31T23:59:59Z");
  EXPECT_EQ(Start("2026"), "2026-01-01T00:00:00Z");
}

TEST(DateMathTest, BoundsBeyondAllDatesSaySo) {
  EXPECT_EQ(Start("1500-01-01"), "before");
  EXPECT_EQ(End("2300"), "behind");
  EXPECT_EQ(Start("now+1000y"), "behind");
  EXPECT_EQ(Start("now-1000y"), "before");
  EXPECT_EQ(Start("99999999999999999999999999"), "behind");
  EXPECT_EQ(Start("-99999999999999999999999999"), "before");
  EXPECT_EQ(ParseDateBound("2300", kNow, DateRounding::kEnd),
            (DateBound{std::numeric_limits<int64_t>::max(), 1}));
}

TEST(DateMathTest, WhatIsNoBoundIsRefused) {
  for (const std::string_view text :
       {"", "no", "nowx", "now-", "now-7", "now-7x", "now/", "now/2d", "now 7d", "now--7d",
        "2026-13", "x||+1d", "||", "now+99999999999999999999d", "now+1000000000000y", "1.5"}) {
    EXPECT_EQ(Start(text), "none") << text;
  }
}

}  // namespace
}  // namespace pmdex
