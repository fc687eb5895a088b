#include "query/columns/value_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "engine/columns/column_key.h"

namespace pmdex {
namespace value_bounds_test {

constexpr int64_t kNow = 1'700'000'000'000'000'000;

ColumnRange Closed(FieldType type, const std::string& low, const std::string& high) {
  const RangeOutcome outcome = MakeRange(type, BoundText{low, true}, BoundText{high, true}, kNow);
  EXPECT_EQ(outcome.bad, BadBound::kNone) << low << " " << high;
  return outcome.range;
}

bool HasI64(const ColumnRange& range, int64_t value) {
  return range.low <= KeyOfI64(value) && KeyOfI64(value) <= range.high;
}

TEST(ValueBounds, AreExactForAllIntegers) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  const ColumnRange most = MakeEquality(FieldType::kI64, "9223372036854775807", kNow).range;
  EXPECT_TRUE(HasI64(most, kMost));
  EXPECT_FALSE(HasI64(most, kMost - 1));
  const ColumnRange least = MakeEquality(FieldType::kI64, "-9223372036854775808", kNow).range;
  EXPECT_TRUE(HasI64(least, kLeast));
  EXPECT_FALSE(HasI64(least, kLeast + 1));
  const ColumnRange beyond = MakeEquality(FieldType::kI64, "9223372036854775808", kNow).range;
  EXPECT_GT(beyond.low, beyond.high);
  const ColumnRange unsigned_most =
      MakeEquality(FieldType::kU64, "18446744073709551615", kNow).range;
  EXPECT_EQ(unsigned_most.low, UINT64_MAX);
  EXPECT_EQ(unsigned_most.high, UINT64_MAX);
}

TEST(ValueBounds, TakeSizesAsPowersOf1024) {
  EXPECT_TRUE(HasI64(MakeEquality(FieldType::kI64, "1K", kNow).range, 1024));
  EXPECT_TRUE(HasI64(MakeEquality(FieldType::kI64, "-3M", kNow).range, -3 * (1 << 20)));
  EXPECT_TRUE(HasI64(MakeEquality(FieldType::kI64, "1.5k", kNow).range, 1536));
  EXPECT_TRUE(HasI64(MakeEquality(FieldType::kI64, "2T", kNow).range, int64_t{2} << 40));
  EXPECT_EQ(MakeEquality(FieldType::kI64, "K", kNow).bad, BadBound::kLow);
  EXPECT_EQ(MakeEquality(FieldType::kI64, "1KK", kNow).bad, BadBound::kLow);
}

TEST(ValueBounds, CutOffSizesThatNoIntegerHolds) {
  // These sizes are far beyond 64 bits, and some of them beyond 128.
  for (const char* const size : {"154742504910672534362390528T", "1267650600228229401496703205375T",
                                 "9223372036854775807T", "1099511627776000000T"}) {
    const RangeOutcome above = MakeRange(FieldType::kI64, BoundText{size, false}, {}, kNow);
    EXPECT_GT(above.range.low, above.range.high) << size;
    const RangeOutcome below = MakeRange(FieldType::kI64, {}, BoundText{size, false}, kNow);
    EXPECT_TRUE(HasI64(below.range, std::numeric_limits<int64_t>::max())) << size;
  }
}

TEST(ValueBounds, AreMathematicallyRightForFractionsAndBeyondTheType) {
  const ColumnRange between = Closed(FieldType::kI64, "2.5", "3.5");
  EXPECT_FALSE(HasI64(between, 2));
  EXPECT_TRUE(HasI64(between, 3));
  EXPECT_FALSE(HasI64(between, 4));
  const ColumnRange all = Closed(FieldType::kI64, "-1e999", "1e999");
  EXPECT_TRUE(HasI64(all, std::numeric_limits<int64_t>::max()));
  EXPECT_TRUE(HasI64(all, std::numeric_limits<int64_t>::min()));
  const ColumnRange negative = Closed(FieldType::kU64, "-5", "-1");
  EXPECT_GT(negative.low, negative.high);
  const ColumnRange tiny = Closed(FieldType::kI64, "1e-999", "7");
  EXPECT_TRUE(HasI64(tiny, 7));
}

TEST(ValueBounds, RoundIntegersToRealsAsCDoes) {
  for (const char* text :
       {"0", "1", "-7", "0000123", "4503599627370497", "9007199254740991", "9007199254740992",
        "9007199254740993", "-9007199254740993", "9007199254740995", "18446744073709551615",
        "1267650600228229401496703", "123456789012345678901234567890123456789012345"}) {
    const double expected = std::strtod(text, nullptr);
    const ColumnRange range = Closed(FieldType::kF64, text, text);
    EXPECT_TRUE(range.low <= KeyOfF64(expected) && KeyOfF64(expected) <= range.high) << text;
    if (expected == 0) continue;  // two keys
    EXPECT_EQ(range.low, range.high) << text;
  }
  EXPECT_EQ(Closed(FieldType::kF64, "3K", "8G").low, KeyOfF64(3072));
  EXPECT_EQ(Closed(FieldType::kF64, "3K", "9000000000000000T").high,
            KeyOfF64(std::ldexp(9e15, 40)));
}

TEST(ValueBounds, TakeBothZerosForOne) {
  const auto has = [](const RangeOutcome& outcome, double value) {
    return outcome.range.low <= KeyOfF64(value) && KeyOfF64(value) <= outcome.range.high;
  };
  for (const char* zero : {"0", "-0", "0.0", "-0.0"}) {
    const BoundText closed{zero, true};
    const BoundText open{zero, false};
    for (const double value : {0.0, -0.0}) {
      EXPECT_TRUE(has(MakeRange(FieldType::kF64, closed, closed, kNow), value)) << zero;
      EXPECT_FALSE(has(MakeRange(FieldType::kF64, open, std::nullopt, kNow), value)) << zero;
      EXPECT_FALSE(has(MakeRange(FieldType::kF64, std::nullopt, open, kNow), value)) << zero;
    }
    EXPECT_TRUE(has(MakeRange(FieldType::kF64, open, std::nullopt, kNow), 5e-324));
    EXPECT_TRUE(has(MakeRange(FieldType::kF64, std::nullopt, open, kNow), -5e-324));
  }
}

TEST(ValueBounds, RefuseWhatIsNoValueOfTheType) {
  for (const char* text : {"", "x", "1x", "0x10", "nan", "1 2", "--1", "true"}) {
    EXPECT_EQ(MakeEquality(FieldType::kI64, text, kNow).bad, BadBound::kLow) << text;
    EXPECT_EQ(MakeEquality(FieldType::kF64, text, kNow).bad, BadBound::kLow) << text;
  }
  EXPECT_EQ(MakeEquality(FieldType::kBool, "1", kNow).bad, BadBound::kLow);
  EXPECT_EQ(MakeRange(FieldType::kDate, std::nullopt, BoundText{"soon", true}, kNow).bad,
            BadBound::kHigh);
}

TEST(ValueBounds, MakePrefixesRangesOfKeywords) {
  const ColumnRange prefix = MakePrefix("ab");
  EXPECT_EQ(prefix.from->text, "ab");
  EXPECT_EQ(prefix.to->text, "ac");
  EXPECT_FALSE(prefix.to->inclusive);
  EXPECT_EQ(MakePrefix("a\xff").to->text, "b");
  EXPECT_FALSE(MakePrefix("").to.has_value());
  const ColumnRange wildcard = MakeWildcard("ab*c");
  EXPECT_EQ(wildcard.from->text, "ab");
  EXPECT_EQ(wildcard.pattern, "ab*c");
}

}  // namespace value_bounds_test
}  // namespace pmdex
