#include "tools/server/elasticsearch/dsl/mapped_range.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"

namespace pmdex {
namespace mapped_range_test {

using Bound = std::optional<BoundText>;

Bound Inclusive(const std::string& text) {
  return BoundText{text, true};
}
Bound Exclusive(const std::string& text) {
  return BoundText{text, false};
}
std::string Shown(const RangeOutcome& outcome) {
  if (outcome.bad != BadBound::kNone) return "bad";
  if (outcome.range.low > outcome.range.high) return "nothing";
  return FormatDate(I64OfKey(outcome.range.low)) + " " + FormatDate(I64OfKey(outcome.range.high));
}
std::string Range(const MappedField& field, const Bound& low, const Bound& high,
                  const DateReading& reading = {}) {
  return Shown(MakeMappedRange(field, low, high, 0, reading));
}
constexpr char kFirst[] = "1677-09-21T00:12:43.145224192Z";
constexpr char kLast[] = "2262-04-11T23:47:16.854775807Z";

TEST(MappedRange, ComparesDatesInMilliseconds) {
  const MappedField field = PlainField(MappedType::kDate);
  const std::string last = std::string(" ") + kLast;
  const std::string first = std::string(kFirst) + " ";
  EXPECT_EQ(Range(field, Inclusive("2026-01-01T00:00:00.1239Z"), {}),
            "2026-01-01T00:00:00.123Z" + last);
  EXPECT_EQ(Range(field, Exclusive("2026-01-01T00:00:00.1239Z"), {}),
            "2026-01-01T00:00:00.124Z" + last);
  EXPECT_EQ(Range(field, {}, Inclusive("2026-01-01T00:00:00.1239Z")),
            first + "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(Range(field, {}, Exclusive("2026-01-01T00:00:00.1239Z")),
            first + "2026-01-01T00:00:00.122Z");
  EXPECT_EQ(Range(field, Exclusive("2026"), {}), "2026-01-02T00:00:00Z" + last);
  EXPECT_EQ(Range(field, {}, Inclusive("2026-05")), first + "2026-05-01T23:59:59.999Z");
  EXPECT_EQ(Range(field, Inclusive("2026-01-01||+1M/M"), Exclusive("2026-01-01||/y")), "nothing");
  EXPECT_EQ(Range(field, Inclusive("9999-12-31"), {}), "nothing");
  EXPECT_EQ(Range(field, Inclusive("0001-01-01"), Inclusive("9999-12-31")), first + kLast);
  EXPECT_EQ(Range(field, Inclusive("nope"), {}), "bad");
}

TEST(MappedRange, ComparesDatesInNanosecondsWhereTheFieldHasThem) {
  const MappedField field = PlainField(MappedType::kDateNanos);
  EXPECT_EQ(Range(field, Exclusive("2026-01-01T00:00:00.000000001Z"),
                  Inclusive("2026-01-01T00:00:00.000000002Z")),
            "2026-01-01T00:00:00.000000002Z 2026-01-01T00:00:00.000000002Z");
}

TEST(MappedRange, ReadsBoundsInAFormatAndAZone) {
  MappedField field = PlainField(MappedType::kDate);
  field.format = std::make_shared<const DateFormat>(*DateFormat::Parse("dd.MM.yyyy"));
  const std::string last = std::string(" ") + kLast;
  EXPECT_EQ(Range(field, Inclusive("31.01.2026"), {}), "2026-01-31T00:00:00Z" + last);
  EXPECT_EQ(Range(field, Inclusive("31.01.2026||-1M/M"), {}), "2025-12-01T00:00:00Z" + last);
  EXPECT_EQ(Range(field, Inclusive("2026-01-31"), {}), "bad");
  const DateFormat other;
  EXPECT_EQ(Range(field, Inclusive("2026-01-31"), {}, {&other, absl::FixedTimeZone(7200)}),
            "2026-01-30T22:00:00Z" + last);
  EXPECT_EQ(
      Range(field, Inclusive("2026-01-31T00:00:00Z"), {}, {&other, absl::FixedTimeZone(7200)}),
      "2026-01-31T00:00:00Z" + last);
}

TEST(MappedRange, CountsAndRoundsInTheZone) {
  const MappedField field = PlainField(MappedType::kDate);
  const std::string last = std::string(" ") + kLast;
  const auto from = [&](const std::string& text, const absl::TimeZone& zone) {
    return Range(field, Inclusive(text), {}, {nullptr, zone});
  };
  const absl::TimeZone hour = absl::FixedTimeZone(3600);
  EXPECT_EQ(from("2020", hour), "2019-12-31T23:00:00Z" + last);
  EXPECT_EQ(from("2020-01-02T00:00:00||-1d", hour), "2019-12-31T23:00:00Z" + last);
  EXPECT_EQ(from("2020-01-02T00:30:00||/d", hour), "2020-01-01T23:00:00Z" + last);
  EXPECT_EQ(from("2020-01-01T23:30:00Z||/d", hour), "2020-01-01T23:00:00Z" + last);
  EXPECT_EQ(from("2020-01-01T00:00:00Z", hour), "2020-01-01T00:00:00Z" + last);
  EXPECT_EQ(from("1577836800000", hour), "2020-01-01T00:00:00Z" + last);
  EXPECT_EQ(from("now", hour), "1970-01-01T00:00:00Z" + last);
  EXPECT_EQ(from("now/d", hour), "1969-12-31T23:00:00Z" + last);
  absl::TimeZone berlin;
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin));
  EXPECT_EQ(from("2020-01-15", berlin), "2020-01-14T23:00:00Z" + last);
  EXPECT_EQ(from("2020-07-15", berlin), "2020-07-14T22:00:00Z" + last);
  EXPECT_EQ(from("2020-07-15T12:00:00||/y", berlin), "2019-12-31T23:00:00Z" + last);
  EXPECT_EQ(from("2020-03-29T02:30:00", berlin), "2020-03-29T01:30:00Z" + last) << "left out";
  EXPECT_EQ(from("2020-10-25T02:30:00", berlin), "2020-10-25T00:30:00Z" + last) << "shown twice";
  EXPECT_EQ(Range(field, {}, Inclusive("9999-12-31"), {nullptr, berlin}),
            std::string(kFirst) + " " + kLast);
}

TEST(MappedRange, RoundsBoundsOfFloats) {
  const MappedField field = PlainField(MappedType::kFloat);
  ASSERT_TRUE(HasMappedRange(field));
  EXPECT_FALSE(HasMappedRange(PlainField(MappedType::kLong)));
  const RangeOutcome outcome = MakeMappedRange(field, Inclusive("0.1"), Inclusive("0.1"), 0);
  EXPECT_EQ(F64OfKey(outcome.range.low), static_cast<double>(0.1f));
  EXPECT_EQ(F64OfKey(outcome.range.high), static_cast<double>(0.1f));
  EXPECT_EQ(MakeMappedRange(field, Inclusive("x"), {}, 0).bad, BadBound::kLow);
}

}  // namespace mapped_range_test
}  // namespace pmdex
