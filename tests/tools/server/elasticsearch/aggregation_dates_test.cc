#include "tools/server/elasticsearch/aggregations/aggregation_dates.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "engine/columns/date_text.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace aggregation_dates_test {

constexpr int64_t kNow = 1'772'366'400'000'000'000;  // 2026-03-01T12:00:00Z

// `day` is a date of a mapping with a format, `found` one of an index without a mapping.
class AggregationDates : public testing::Test {
 protected:
  void SetUp() override {
    const Json day = {{"type", "date"}, {"format", "dd.MM.yyyy"}};
    ASSERT_TRUE(mapped_.Add({{"properties", {{"day", day}}}}).ok());
    index_.name = "days";
    index_.columns.type_of = [](std::string_view) { return FieldType::kDate; };
    index_.columns.now = kNow;
    index_.mapped = &mapped_;
  }
  // The beginning of a range that begins with this date, or the reason why there is none.
  std::string From(const std::string& field, const Json& date, Json options = Json::object(),
                   bool reads_numbers = true) const {
    Aggregation computed;
    computed.field = field;
    computed.ranges.emplace_back().from = date.is_string() ? date.get<std::string>() : date.dump();
    options["ranges"] = Json::array({{{"from", date}}});
    const absl::Status status = ReadDateRanges(index_, options, reads_numbers, computed);
    return status.ok() ? *computed.ranges[0].from : ReasonOf(status);
  }
  std::string Extended(const std::string& field, const Json& bounds, Json options = Json::object(),
                       const absl::TimeZone& zone = absl::UTCTimeZone()) const {
    Aggregation computed;
    computed.field = field;
    options["extended_bounds"] = bounds;
    const absl::Status status = ReadExtendedDates(index_, options, zone, computed);
    if (!status.ok()) return ReasonOf(status);
    const HistogramBounds& read = *computed.extended_bounds;
    return (read.bounds_begin ? FormatDate(read.first) : "*") + " " +
           (read.bounds_end ? FormatDate(read.last) : "*");
  }
  static std::string ReasonOf(const absl::Status& status) {
    return ErrorJson(status)["root_cause"][0]["reason"];
  }

  MappedFields mapped_;
  DslIndex index_;
};

TEST_F(AggregationDates, HaveTheFormatOfTheRequestOrElseOfTheField) {
  EXPECT_EQ(From("day", "31.01.2026"), "2026-01-31T00:00:00Z");
  EXPECT_EQ(From("day", "31.01.2026||+1d/M"), "2026-02-01T00:00:00Z");
  EXPECT_EQ(From("day", "now/d"), "2026-03-01T00:00:00Z");
  EXPECT_EQ(From("day", "01-2026", {{"format", "MM-yyyy"}}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(From("day", "2026-01-31"),
            "failed to parse date field [2026-01-31] with format [dd.MM.yyyy]: "
            "[failed to parse date field [2026-01-31] with format [dd.MM.yyyy]]");
  EXPECT_EQ(From("found", "01-2026", {{"format", "MM-yyyy"}}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(From("found", "2026-01-31"), "2026-01-31");  // as it is: any form is read later
  EXPECT_EQ(From("day", "3.1.2026", {{"format", "d.M.y"}}), "2026-01-03T00:00:00Z");
}

TEST_F(AggregationDates, NumbersOfARangeAreMilliseconds) {
  const Json year = {{"format", "yyyy"}};
  EXPECT_EQ(From("day", 2026, year), "2026-01-01T00:00:00Z");
  EXPECT_EQ(From("day", 1'767'225'600'000, year, false), "1767225600000");
  EXPECT_EQ(From("day", "2026", year, false), "2026-01-01T00:00:00Z");
}

TEST_F(AggregationDates, BoundHistograms) {
  const std::string year = "2026-01-01T00:00:00Z 2026-12-31T00:00:00Z";
  EXPECT_EQ(Extended("day", {{"min", "01.01.2026"}, {"max", "31.12.2026"}}), year);
  EXPECT_EQ(Extended("found", {{"min", "2026-01-01"}, {"max", "2026-12-31"}}), year);
  EXPECT_EQ(Extended("found", {{"min", "2026-01"}, {"max", 1'798'675'200'000}}), year);
  EXPECT_EQ(Extended("day", {{"min", "2026"}, {"max", "2027"}}, {{"format", "yyyy"}},
                     absl::FixedTimeZone(3600)),
            "2025-12-31T23:00:00Z 2026-12-31T23:00:00Z");
  EXPECT_EQ(Extended("day", {{"min", 1'767'225'600'000}, {"max", "31.12.2026"}}), year);
  EXPECT_EQ(Extended("found", {{"min", "now-1M/d"}, {"max", "now"}}),
            "2026-02-01T00:00:00Z 2026-03-01T12:00:00Z");
  EXPECT_EQ(Extended("day", {{"min", "01.01.2026"}}), "2026-01-01T00:00:00Z *");
  EXPECT_EQ(Extended("day", {{"min", nullptr}, {"max", "01.01.2026"}}), "* 2026-01-01T00:00:00Z");
  EXPECT_EQ(Extended("day", Json::object()), "* *");
  EXPECT_NE(Extended("day", {{"min", "02.01.2026"}, {"max", "01.01.2026"}}).find("cannot be gr"),
            std::string::npos);
}

}  // namespace aggregation_dates_test
}  // namespace pmdex
