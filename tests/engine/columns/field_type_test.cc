#include "engine/columns/field_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/columns/field_value.h"

namespace pmdex {
namespace {

TEST(FieldTypeTest, EveryTypeHasANameAndANumberThatLeadBackToIt) {
  uint32_t number = 0;
  for (const FieldType type : kAllFieldTypes) {
    EXPECT_EQ(ParseFieldType(ToString(type)), type);
    EXPECT_EQ(FieldTypeOf(number++), type);
  }
  EXPECT_EQ(FieldTypeOf(number), std::nullopt);
}

TEST(FieldTypeTest, NamesAreThoseOfSchemas) {
  EXPECT_EQ(ParseFieldType("date"), FieldType::kDate);
  EXPECT_EQ(ParseFieldType("Date"), std::nullopt);
  EXPECT_EQ(ParseFieldType(""), std::nullopt);
  EXPECT_EQ(ParseFieldType("int"), std::nullopt);
}

TEST(FieldValueTest, ValuesComeBackAsTheyWere) {
  EXPECT_EQ(FieldValue::I64(INT64_MIN).i64(), INT64_MIN);
  EXPECT_EQ(FieldValue::U64(UINT64_MAX).u64(), UINT64_MAX);
  EXPECT_TRUE(std::signbit(FieldValue::F64(-0.0).f64()));
  EXPECT_TRUE(FieldValue::Bool(true).boolean());
  EXPECT_EQ(FieldValue::Date(-1).i64(), -1);
  EXPECT_EQ(FieldValue::Keyword("a").keyword, "a");
}

TEST(FieldValueTest, ValuesOfOtherTypesAndBitsDiffer) {
  EXPECT_EQ(FieldValue::Keyword("a"), FieldValue::Keyword("a"));
  EXPECT_NE(FieldValue::I64(1), FieldValue::U64(1));
  EXPECT_NE(FieldValue::F64(0.0), FieldValue::F64(-0.0));
}

}  // namespace
}  // namespace pmdex
