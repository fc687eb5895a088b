#include "engine/columns/value_parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace pmdex {
namespace {

std::optional<FieldValue> Number(FieldType type, std::string_view text) {
  return ParseFieldValue(type, {JsonScalar::Kind::kNumber, text});
}
std::optional<FieldValue> String(FieldType type, std::string_view text) {
  return ParseFieldValue(type, {JsonScalar::Kind::kString, text});
}
std::optional<FieldValue> Truth(FieldType type, std::string_view text) {
  return ParseFieldValue(type, {JsonScalar::Kind::kBool, text});
}

TEST(ValueParserTest, WholeNumbersAreExactInHoweverTheyAreWritten) {
  EXPECT_EQ(Number(FieldType::kI64, "42"), FieldValue::I64(42));
  EXPECT_EQ(String(FieldType::kI64, "42"), FieldValue::I64(42));
  EXPECT_EQ(String(FieldType::kI64, "+007"), FieldValue::I64(7));
  EXPECT_EQ(Number(FieldType::kI64, "3.0"), FieldValue::I64(3));
  EXPECT_EQ(Number(FieldType::kI64, "-3.20e1"), FieldValue::I64(-32));
  EXPECT_EQ(Number(FieldType::kI64, "500e-2"), FieldValue::I64(5));
  EXPECT_EQ(Number(FieldType::kI64, "0.0e99999999999999999999"), FieldValue::I64(0));
  EXPECT_EQ(Number(FieldType::kI64, "-0"), FieldValue::I64(0));
  EXPECT_EQ(Number(FieldType::kI64, "9007199254740993"), FieldValue::I64(9007199254740993));
}

TEST(ValueParserTest, TheEndsOfIntegersFitAndTheirNeighboursDoNot) {
  using I64 = std::numeric_limits<int64_t>;
  EXPECT_EQ(Number(FieldType::kI64, "9223372036854775807"), FieldValue::I64(I64::max()));
  EXPECT_EQ(Number(FieldType::kI64, "9223372036854775808"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kI64, "-9223372036854775808"), FieldValue::I64(I64::min()));
  EXPECT_EQ(Number(FieldType::kI64, "-9223372036854775809"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kU64, "18446744073709551615"), FieldValue::U64(UINT64_MAX));
  EXPECT_EQ(Number(FieldType::kU64, "18446744073709551616"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kU64, "-1"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kU64, "-0"), FieldValue::U64(0));
  EXPECT_EQ(Number(FieldType::kU64, "1e20"), std::nullopt);
}

TEST(ValueParserTest, WhatAnIntegerWouldLoseIsBad) {
  for (const std::string_view text : {"3.5", "1e-1", "1e999", "0.1", "123.0000000000000000001"}) {
    EXPECT_EQ(Number(FieldType::kI64, text), std::nullopt) << text;
    EXPECT_EQ(Number(FieldType::kU64, text), std::nullopt) << text;
  }
  for (const std::string_view text : {"", " 1", "1 ", "x", "0x10", "1,000", ".5", "5.", "1e", "--1",
                                      "NaN", "Infinity", "inf", "1_000"}) {
    EXPECT_EQ(String(FieldType::kI64, text), std::nullopt) << text;
    EXPECT_EQ(String(FieldType::kF64, text), std::nullopt) << text;
  }
}

TEST(ValueParserTest, RealNumbersAreTheNearestDoubles) {
  EXPECT_EQ(Number(FieldType::kF64, "0.1"), FieldValue::F64(0.1));
  EXPECT_EQ(String(FieldType::kF64, "+1e3"), FieldValue::F64(1000));
  EXPECT_EQ(Number(FieldType::kF64, "-0.0"), FieldValue::F64(-0.0));
  EXPECT_EQ(Number(FieldType::kF64, "1e999"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kF64, "-1e309"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kF64, "1e-999"), FieldValue::F64(0.0));
  EXPECT_EQ(Number(FieldType::kF64, "-1e-999"), FieldValue::F64(-0.0));
  EXPECT_EQ(Number(FieldType::kF64, "5e-324"),
            FieldValue::F64(std::numeric_limits<double>::denorm_min()));
  const std::string long_fraction = "0." + std::string(400, '0') + "1e401";
  EXPECT_EQ(Number(FieldType::kF64, long_fraction), FieldValue::F64(1));
}

TEST(ValueParserTest, RandomNumbersAgreeWithTheStandardLibrary) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto integer = static_cast<int64_t>(random() >> random() % 64);
    ASSERT_EQ(ParseI64(std::to_string(integer)), integer);
    const std::string text = std::to_string(static_cast<int64_t>(random())) + "." +
                             std::to_string(random() % 1000) + "e" +
                             std::to_string(static_cast<int>(random() % 700) - 350);
    const double expected = std::strtod(text.c_str(), nullptr);
    const auto parsed = ParseF64(text);
    ASSERT_EQ(parsed.has_value(), std::isfinite(expected)) << text;
    if (parsed.has_value()) {
      ASSERT_EQ(*parsed, expected) << text;
    }
  }
}

TEST(ValueParserTest, ShortNumbersAgreeWithTheStandardLibraryToTheSign) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 50'000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    text += std::to_string(random() >> random() % 64).substr(0, 1 + random() % 17);
    if (random() % 3 != 0) {
      text += "." + std::string(random() % 3, '0') + std::to_string(random() >> random() % 64);
    }
    const auto parsed = ParseF64(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(*parsed),
              std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
  EXPECT_TRUE(std::signbit(*ParseF64("-0")));
  EXPECT_TRUE(std::signbit(*ParseF64("-0.000")));
  for (const char* text : {"", "-", ".", "-.", ".5", "5.", "1..2", "1.2.3", "--1", "1-"}) {
    EXPECT_EQ(ParseF64(text), std::nullopt) << text;
  }
}

TEST(ValueParserTest, TruthValuesAreWordsAsInElasticsearch) {
  EXPECT_EQ(Truth(FieldType::kBool, "true"), FieldValue::Bool(true));
  EXPECT_EQ(String(FieldType::kBool, "false"), FieldValue::Bool(false));
  EXPECT_EQ(String(FieldType::kBool, ""), FieldValue::Bool(false));
  EXPECT_EQ(String(FieldType::kBool, "True"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kBool, "1"), std::nullopt);
  EXPECT_EQ(Truth(FieldType::kI64, "true"), std::nullopt);
  EXPECT_EQ(Truth(FieldType::kDate, "true"), std::nullopt);
}

TEST(ValueParserTest, DatesAreTextOrMilliseconds) {
  EXPECT_EQ(String(FieldType::kDate, "1970-01-02"), FieldValue::Date(86'400'000'000'000));
  EXPECT_EQ(String(FieldType::kDate, "1970-01-01T01:00:00+01:00"), FieldValue::Date(0));
  EXPECT_EQ(Number(FieldType::kDate, "1500"), FieldValue::Date(1'500'000'000));
  EXPECT_EQ(Number(FieldType::kDate, "-1"), FieldValue::Date(-1'000'000));
  EXPECT_EQ(String(FieldType::kDate, "1500000"), FieldValue::Date(1'500'000'000'000));
  EXPECT_EQ(Number(FieldType::kDate, "2026"), FieldValue::Date(2'026'000'000));
  EXPECT_EQ(Number(FieldType::kDate, "1.5"), std::nullopt);
  EXPECT_EQ(Number(FieldType::kDate, "9223372036855"), std::nullopt);
  EXPECT_EQ(String(FieldType::kDate, "2262-04-12"), std::nullopt);
  EXPECT_EQ(String(FieldType::kDate, "1677-01-01"), std::nullopt);
  EXPECT_EQ(String(FieldType::kDate, "yesterday"), std::nullopt);
}

TEST(ValueParserTest, KeywordsAreAnyScalarUpTo32KiB) {
  EXPECT_EQ(String(FieldType::kKeyword, "a b"), FieldValue::Keyword("a b"));
  EXPECT_EQ(Number(FieldType::kKeyword, "1.50"), FieldValue::Keyword("1.50"));
  EXPECT_EQ(Number(FieldType::kKeyword, "1e999"), FieldValue::Keyword("1e999"));
  EXPECT_EQ(Truth(FieldType::kKeyword, "true"), FieldValue::Keyword("true"));
  EXPECT_EQ(String(FieldType::kKeyword, ""), FieldValue::Keyword(""));
  const std::string longest(32768, 'x');
  EXPECT_EQ(String(FieldType::kKeyword, longest), FieldValue::Keyword(longest));
  EXPECT_EQ(String(FieldType::kKeyword, longest + "x"), std::nullopt);
}

TEST(ValueParserTest, NumbersOfJsonHaveNoPlusAndNoZerosInFront) {
  for (const std::string_view text : {"0", "-0", "10", "1.5", "1E+5", "0.0e-1"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const std::string_view text : {"", "-", "+1", "01", "1.", ".1", "1e", "1x", "0x1", "NaN"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

}  // namespace
}  // namespace pmdex
