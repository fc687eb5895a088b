#include "engine/ingest/fields/seen_values.h"

#include <gtest/gtest.h>

#include <vector>

namespace pmdex {
namespace {

DocumentField Number(std::string_view text, uint32_t array = 0) {
  return {"f", text, InputValueKind::kNumber, array};
}
DocumentField String(std::string_view text) {
  return {"f", text, InputValueKind::kString, 0};
}
DocumentField Truth() {
  return {"f", "true", InputValueKind::kBool, 0};
}

FieldType TypeOf(const std::vector<DocumentField>& values) {
  SeenValues seen;
  for (const DocumentField& value : values) seen.Add(value);
  return seen.Infer().type;
}

TEST(SeenValues, NumbersAreOfTheNarrowestTypeThatTakesThem) {
  EXPECT_EQ(TypeOf({Number("1"), Number("-9223372036854775808")}), FieldType::kI64);
  EXPECT_EQ(TypeOf({Number("1"), Number("9223372036854775807")}), FieldType::kI64);
  EXPECT_EQ(TypeOf({Number("1"), Number("9223372036854775808")}), FieldType::kU64);
  EXPECT_EQ(TypeOf({Number("-1"), Number("9223372036854775808")}), FieldType::kI64);
  EXPECT_EQ(TypeOf({Number("1"), Number("2.5")}), FieldType::kF64);
  EXPECT_EQ(TypeOf({Number("3.0")}), FieldType::kF64);
  EXPECT_EQ(TypeOf({Number("1e3")}), FieldType::kF64);
}

TEST(SeenValues, StringsAreDatesOnlyIfAllAreTimesWithAZone) {
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00:00Z"), String("2026-01-01T00:00:00.5+02:00")}),
            FieldType::kDate);
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00:00Z"), String("2026-01-01")}), FieldType::kText);
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00:00")}), FieldType::kText);
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00Z")}), FieldType::kText);
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00:00+0200")}), FieldType::kText);
  EXPECT_EQ(TypeOf({String("")}), FieldType::kText);
}

TEST(SeenValues, MixturesAreKeywords) {
  EXPECT_EQ(TypeOf({Truth(), Truth()}), FieldType::kBool);
  EXPECT_EQ(TypeOf({Number("1"), String("a")}), FieldType::kKeyword);
  EXPECT_EQ(TypeOf({Number("1"), Truth()}), FieldType::kKeyword);
  EXPECT_EQ(TypeOf({String("2026-01-01T00:00:00Z"), Number("1")}), FieldType::kKeyword);
}

TEST(SeenValues, AnArrayMakesAFieldOfManyValues) {
  SeenValues seen;
  EXPECT_TRUE(seen.empty());
  seen.Add({"f", "", InputValueKind::kObject, 1});
  EXPECT_TRUE(seen.empty()) << "objects do not count";
  seen.Add(Number("1"));
  EXPECT_EQ(seen.Infer().values, Multiplicity::kOne);
  seen.Add(Number("1", 1));
  EXPECT_EQ(seen.Infer().values, Multiplicity::kMany);
}

}  // namespace
}  // namespace pmdex
