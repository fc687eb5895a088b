#include "tools/server/mapping/value_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "tools/server/mapping/mapped_field.h"
#include "tools/server/mapping/mapped_type.h"
#include "tools/server/mapping/value_preview.h"

namespace pmdex {
namespace value_reader_test {

using Kind = JsonScalar::Kind;

std::string ErrorOf(MappedType type, const std::string& text, Kind kind) {
  const MappedField field = PlainField(type);
  const auto read = ReadScalar(field, {kind, text});
  return read.ok() ? "" : std::string(read.status().message());
}
int64_t Integer(MappedType type, const std::string& text, Kind kind = Kind::kNumber) {
  const MappedField field = PlainField(type);
  const auto read = ReadScalar(field, {kind, text});
  EXPECT_TRUE(read.ok()) << text << ": " << read.status();
  return read.ok() ? std::bit_cast<int64_t>(read->bits) : 0;
}

TEST(ValueReader, CutsOffFractionsOfWholeNumbersAndReadsThemFromStrings) {
  EXPECT_EQ(Integer(MappedType::kLong, "3.9"), 3);
  EXPECT_EQ(Integer(MappedType::kLong, "-3.9"), -3);
  EXPECT_EQ(Integer(MappedType::kLong, "-0.9"), 0);
  EXPECT_EQ(Integer(MappedType::kLong, "3.7", Kind::kString), 3);
  EXPECT_EQ(Integer(MappedType::kLong, "1.5e1"), 15);
  EXPECT_EQ(Integer(MappedType::kLong, "1.55e1"), 15);
  EXPECT_EQ(Integer(MappedType::kLong, "9007199254740993.5"), 9007199254740993);
  EXPECT_EQ(Integer(MappedType::kLong, "-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(Integer(MappedType::kByte, "-128"), -128);
  EXPECT_EQ(Integer(MappedType::kUnsignedLong, "18446744073709551615"), -1);
  const auto empty = ReadScalar(PlainField(MappedType::kLong), {Kind::kString, ""});
  EXPECT_TRUE(empty.ok() && !empty->is_there);
}

TEST(ValueReader, RefusesWhatIsBeyondTheType) {
  EXPECT_EQ(ErrorOf(MappedType::kInteger, "2147483648", Kind::kNumber),
            "Value [2147483648] is out of range for an integer");
  EXPECT_EQ(ErrorOf(MappedType::kShort, "-32769", Kind::kString),
            "Value [-32769] is out of range for a short");
  EXPECT_EQ(ErrorOf(MappedType::kByte, "128", Kind::kNumber),
            "Value [128] is out of range for a byte");
  EXPECT_NE(ErrorOf(MappedType::kLong, "9223372036854775808", Kind::kNumber), "");
  EXPECT_NE(ErrorOf(MappedType::kLong, "1e300", Kind::kNumber), "");
  EXPECT_NE(ErrorOf(MappedType::kUnsignedLong, "-1", Kind::kNumber), "");
  EXPECT_EQ(ErrorOf(MappedType::kLong, "abc", Kind::kString), "For input string: \"abc\"");
  EXPECT_EQ(ErrorOf(MappedType::kDouble, "1e999", Kind::kNumber),
            "[double] supports only finite values, but got [Infinity]");
  EXPECT_EQ(ErrorOf(MappedType::kFloat, "-1e39", Kind::kNumber),
            "[float] supports only finite values, but got [-Infinity]");
  EXPECT_NE(ErrorOf(MappedType::kBoolean, "yes", Kind::kString), "");
  EXPECT_NE(ErrorOf(MappedType::kBoolean, "1", Kind::kNumber), "");
  EXPECT_NE(ErrorOf(MappedType::kLong, "true", Kind::kBool), "");
}

TEST(ValueReader, RoundsFloatsOnceAndKeepsDoubles) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 120) - 120);
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    EXPECT_EQ(std::bit_cast<double>(Integer(MappedType::kDouble, text)), value);
    EXPECT_EQ(std::bit_cast<double>(Integer(MappedType::kFloat, text)),
              static_cast<double>(std::strtof(text, nullptr)));
  }
  EXPECT_EQ(ReadFloat("1e-60"), 0.0f);
  EXPECT_TRUE(std::isinf(*ReadFloat("1e60")));
  EXPECT_EQ(ReadFloat("+1.5"), 1.5f);
  for (const char* text : {"", "inf", "nan", "1.5f", " 1", "0x1", "-"}) {
    EXPECT_FALSE(ReadFloat(text).has_value()) << text;
  }
}

TEST(ValueReader, KeepsDatesAtTheResolutionOfTheirType) {
  const char* const text = "2026-01-01T00:00:00.123456789Z";
  EXPECT_EQ(FormatDate(Integer(MappedType::kDate, text, Kind::kString)),
            "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(FormatDate(Integer(MappedType::kDateNanos, text, Kind::kString)), text);
  EXPECT_EQ(FormatDate(Integer(MappedType::kDate, "1969-12-31T23:59:59.9999Z", Kind::kString)),
            "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(FloorDate(-1, 1000), -1000);
  EXPECT_NE(ErrorOf(MappedType::kDateNanos, "1969-01-01", Kind::kString), "");
  EXPECT_NE(ErrorOf(MappedType::kDate, "2300-01-01", Kind::kString), "");
  EXPECT_NE(ErrorOf(MappedType::kDate, "nonsense", Kind::kString), "");
}

TEST(ValueReader, LeavesOutLongKeywords) {
  MappedField field = PlainField(MappedType::kKeyword);
  field.most_characters = 3;
  EXPECT_TRUE(ReadScalar(field, {Kind::kString, "äöü"})->is_there);
  EXPECT_FALSE(ReadScalar(field, {Kind::kString, "abcd"})->is_there);
  EXPECT_FALSE(ReadScalar(field, {Kind::kString, "😀😀"})->is_there);  // four units of UTF-16
  EXPECT_NE(ErrorOf(MappedType::kKeyword, std::string(32767, 'x'), Kind::kString), "");
}

TEST(ValuePreview, ShowsObjectsAsJavaDoes) {
  const char* const source =
      R"({"a": {"b": 1, "c": ["x", null]}, "l": [{"k": {"z": 2}}], "p.q": 5})";
  EXPECT_EQ(PreviewOf(source, "a"), "{b=1, c=[x, null]}");
  EXPECT_EQ(PreviewOf(source, "l.k"), "{z=2}");
  EXPECT_EQ(PreviewOf(source, "p.q"), "5");
  EXPECT_EQ(PreviewOf(source, "none"), "");
  EXPECT_EQ(CutPreview(std::string(300, 'x')).size(), 259u);
}

TEST(MappedType, HasANameAndAStoredType) {
  for (const FieldType stored : kAllFieldTypes) {
    EXPECT_EQ(StoredTypeOf(MappedTypeOf(stored)), stored);
    EXPECT_EQ(ParseMappedType(NameOf(MappedTypeOf(stored))), MappedTypeOf(stored));
  }
  EXPECT_EQ(StoredTypeOf(MappedType::kByte), FieldType::kI64);
  EXPECT_FALSE(ParseMappedType("geo_point").has_value());
}

}  // namespace value_reader_test
}  // namespace pmdex
