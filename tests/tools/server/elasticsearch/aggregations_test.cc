// Aggregations of the Elasticsearch API over random columns: what is asked, refused and shown. That
// the numbers are right is tested where they are computed (aggregation_set_test.cc).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/column_index.h"
#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tools/server/elasticsearch/aggregations/aggregation_options.h"
#include "tools/server/elasticsearch/aggregations/aggregation_reader.h"
#include "tools/server/elasticsearch/aggregations/aggregation_writer.h"
#include "tools/server/elasticsearch/aggregations/date_pattern.h"

namespace pmdex {
namespace elasticsearch_aggregations_test {

std::shared_ptr<const ServedIndex> Served(const std::string& name, uint64_t seed) {
  return std::make_shared<const ServedIndex>(ServedIndex{
      name, "memory", std::make_shared<const Searcher>(MakeColumnIndex(seed, {3000}).snapshot)});
}

class ElasticsearchAggregationsTest : public testing::Test {
 protected:
  Json Ask(const std::string& url, const std::string& body) const {
    return Json::parse(
        api_.Handle(RequestOf("POST", url, body), indexes_, std::chrono::seconds(20)).body);
  }
  // The answer of an aggregation over all documents of the first index.
  Json One(const std::string& aggregation) const {
    const Json answer = Ask("/one/_search", R"({"size": 0, "aggs": {"a": )" + aggregation + "}}");
    EXPECT_TRUE(answer.contains("aggregations")) << answer.dump();
    return answer.contains("aggregations") ? answer["aggregations"]["a"] : Json();
  }
  std::string Refused(const std::string& aggregation) const {
    const Json answer = Ask("/one/_search", R"({"size": 0, "aggs": {"a": )" + aggregation + "}}");
    EXPECT_EQ(answer.value("status", 0), 400) << answer.dump();
    return answer.contains("error") ? answer["error"]["root_cause"][0]["reason"] : Json("");
  }

  const std::vector<std::shared_ptr<const ServedIndex>> indexes_ = {Served("one", 1),
                                                                    Served("two", 2)};
  ElasticsearchApi api_{ElasticsearchLimits{}};
};

uint64_t CountOf(const Json& buckets) {
  uint64_t count = 0;
  for (const Json& bucket : buckets) count += bucket["doc_count"].get<uint64_t>();
  return count;
}

TEST_F(ElasticsearchAggregationsTest, AnEmptyObjectAsksForNone) {
  for (const char* const key : {"aggs", "aggregations"}) {
    const Json answer = Ask("/one/_search", std::string("{\"size\": 0, \"") + key + "\": {}}");
    EXPECT_EQ(answer["hits"]["total"]["value"], 3000) << answer.dump();
    EXPECT_FALSE(answer.contains("aggregations"));
  }
  EXPECT_TRUE(One(R"({"max": {"field": "n"}, "aggs": {}})").contains("value"));
}

TEST_F(ElasticsearchAggregationsTest, TermsHaveKeysCountsAndTheRest) {
  const Json terms = One(R"({"terms": {"field": "level", "size": 2}, "meta": {"x": 1}})");
  EXPECT_EQ(terms["meta"]["x"], 1);
  EXPECT_EQ(terms["doc_count_error_upper_bound"], 0);
  ASSERT_EQ(terms["buckets"].size(), 2u);
  EXPECT_EQ(terms["buckets"][0]["key"], "info");
  EXPECT_EQ(terms["sum_other_doc_count"].get<uint64_t>() + CountOf(terms["buckets"]), 3000u);
  const Json flags = One(R"({"terms": {"field": "flag", "order": {"_key": "asc"}}})");
  EXPECT_EQ(flags["buckets"][1]["key"], 1);
  EXPECT_EQ(flags["buckets"][1]["key_as_string"], "true");
  const Json some =
      One(R"({"terms": {"field": "level", "include": "w.*|error", "exclude": ["warn"]}})");
  ASSERT_EQ(some["buckets"].size(), 1u);
  EXPECT_EQ(some["buckets"][0]["key"], "error");
}

TEST_F(ElasticsearchAggregationsTest, NestToAnyDepthAndOrderByWhatIsBelow) {
  const Json terms = One(R"({"terms": {"field": "level", "order": {"size.max": "desc"}},
      "aggs": {"size": {"stats": {"field": "big"}},
               "flags": {"terms": {"field": "flag"},
                         "aggregations": {"n": {"histogram": {"field": "n", "interval": 50}}}}}})");
  const Json& buckets = terms["buckets"];
  ASSERT_EQ(buckets.size(), 5u);
  for (size_t i = 1; i < buckets.size(); ++i) {
    EXPECT_GE(buckets[i - 1]["size"]["max"].get<double>(), buckets[i]["size"]["max"].get<double>());
  }
  const Json& inner = buckets[0]["flags"]["buckets"][0];
  EXPECT_EQ(CountOf(inner["n"]["buckets"]), inner["doc_count"].get<uint64_t>());
  EXPECT_EQ(inner["n"]["buckets"][0]["key"].dump(), "-100.0");
}

TEST_F(ElasticsearchAggregationsTest, TermsAreOrderedThroughFilters) {
  const auto ordered = [this](const std::string& path) {
    return One(R"({"terms": {"field": "level", "order": {")" + path + R"(": "desc"}}, "aggs": {
        "f": {"filter": {"range": {"n": {"gte": 0}}}, "aggs": {
          "m": {"avg": {"field": "big"}},
          "g": {"filter": {"match": {"body": "w2"}}, "aggs": {"s": {"stats": {"field": "n"}}}}}}}})")
        ["buckets"];
  };
  const auto expect_falling = [&](const std::string& path, const std::string& pointer) {
    const Json buckets = ordered(path);
    ASSERT_EQ(buckets.size(), 5u) << path;
    for (size_t i = 1; i < buckets.size(); ++i) {
      const Json::json_pointer number(pointer);
      EXPECT_GE(buckets[i - 1][number].get<double>(), buckets[i][number].get<double>()) << path;
    }
  };
  expect_falling("f", "/f/doc_count");
  expect_falling("f._count", "/f/doc_count");
  expect_falling("f>m", "/f/m/value");
  expect_falling("f>g", "/f/g/doc_count");
  expect_falling("f>g>s.sum", "/f/g/s/sum");
  const std::string terms = R"({"terms": {"field": "level", "order": {"t>m": "asc"}}, "aggs": {
      "t": {"terms": {"field": "flag"}, "aggs": {"m": {"avg": {"field": "big"}}}}}})";
  EXPECT_EQ(Refused(terms), "Invalid aggregation order path [t>m]");
}

TEST_F(ElasticsearchAggregationsTest, DatesAreMillisecondsWithTheirText) {
  const Json days = One(
      R"({"date_histogram": {"field": "time", "calendar_interval": "month", "time_zone": "+01:00"}})");
  EXPECT_EQ(days["buckets"][0]["key_as_string"], "2023-11-01T00:00:00.000+01:00");
  EXPECT_EQ(days["buckets"][0]["key"], 1'698'793'200'000);
  const Json keyed = One(
      R"({"date_histogram": {"field": "time", "fixed_interval": "7d", "format": "yyyy/MM/dd",
          "keyed": true}})");
  EXPECT_TRUE(keyed["buckets"].contains("2023/11/09")) << keyed.dump();
  const Json first = One(R"({"min": {"field": "time"}})");
  EXPECT_TRUE(first["value"].is_number_float());
  EXPECT_TRUE(first["value_as_string"].get<std::string>().ends_with("Z"));
}

TEST_F(ElasticsearchAggregationsTest, RangesAndFiltersAreNamed) {
  const Json ranges = One(
      R"({"range": {"field": "n", "ranges": [{"from": 0}, {"to": 0}, {"key": "mid", "from": -5, "to": 5}]}})");
  ASSERT_EQ(ranges["buckets"].size(), 3u);
  EXPECT_EQ(ranges["buckets"][0]["key"], "*-0.0");
  EXPECT_EQ(ranges["buckets"][1]["key"], "mid");
  EXPECT_EQ(ranges["buckets"][2]["from"], 0.0);
  const Json dates = One(
      R"({"date_range": {"field": "time", "format": "yyyy-MM-dd", "ranges": [{"from": "2023-12-01"}]}})");
  EXPECT_EQ(dates["buckets"][0]["key"], "2023-12-01-*");
  const Json filters = One(
      R"({"filters": {"filters": {"even": {"match": {"body": "w2"}}, "none": {"match_none": {}}}},
          "aggs": {"n": {"value_count": {"field": "n"}}}})");
  EXPECT_EQ(filters["buckets"]["even"]["doc_count"], 1500);
  EXPECT_EQ(filters["buckets"]["even"]["n"]["value"], 1500);
  EXPECT_EQ(filters["buckets"]["none"]["doc_count"], 0);
  EXPECT_EQ(One(R"({"filter": {"match": {"body": "w300"}}})")["doc_count"], 10);
}

TEST_F(ElasticsearchAggregationsTest, MetricsAreRealNumbers) {
  EXPECT_EQ(One(R"({"sum": {"field": "one"}})").dump(), R"({"value":21000.0})");
  EXPECT_EQ(One(R"({"stats": {"field": "one"}})").dump(),
            R"({"count":3000,"min":7.0,"max":7.0,"avg":7.0,"sum":21000.0})");
  EXPECT_EQ(One(R"({"value_count": {"field": "level"}})")["value"], 3000);
  EXPECT_EQ(One(R"({"cardinality": {"field": "level"}})")["value"], 5);
  EXPECT_EQ(One(R"({"percentiles": {"field": "one", "percents": [50]}})").dump(),
            R"({"values":{"50.0":7.0}})");
  EXPECT_EQ(One(R"({"avg": {"field": "absent"}})").dump(), R"({"value":null})");
  EXPECT_EQ(One(R"({"terms": {"field": "absent"}})")["buckets"].size(), 0u);
}

TEST_F(ElasticsearchAggregationsTest, SeveralIndexesHaveOneAnswer) {
  const std::string body = R"({"size": 0, "aggs": {"a": {"terms": {"field": "level"}}}})";
  const Json both = Ask("/one,two/_search", body)["aggregations"]["a"]["buckets"];
  EXPECT_EQ(CountOf(both), 6000u);
  for (const Json& bucket : both) {
    uint64_t alone = 0;
    for (const char* const url : {"/one/_search", "/two/_search"}) {
      const Json one = Ask(url, body)["aggregations"]["a"]["buckets"];
      for (const Json& same : one) {
        if (same["key"] == bucket["key"]) alone += same["doc_count"].get<uint64_t>();
      }
    }
    EXPECT_EQ(bucket["doc_count"], alone);
  }
}

TEST_F(ElasticsearchAggregationsTest, CountMatchesOfTheQueryAndNotOfThePostFilter) {
  const Json answer = Ask("/one/_search", R"({"query": {"match": {"body": "w2"}},
      "post_filter": {"match": {"body": "w300"}}, "aggs": {"a": {"value_count": {"field": "n"}}}})");
  EXPECT_EQ(answer["hits"]["total"]["value"], 10);
  EXPECT_EQ(answer["aggregations"]["a"]["value"], 1500);
}

TEST_F(ElasticsearchAggregationsTest, WhatIsUnknownOrWrongIsNamed) {
  EXPECT_EQ(Refused(R"({"terms": {"field": "n", "order": []}})"),
            "[order] needs a path with its direction");
  EXPECT_NE(Refused(R"({"terms": {"field": "n", "size": 2147483648}})").find("too large"),
            std::string::npos);
  EXPECT_EQ(Refused(R"({"geo_bounds": {"field": "n"}})"), "Unknown aggregation type [geo_bounds]");
  EXPECT_NE(Refused(R"({"terms": {"field": "n", "script": 1}})").find("[script]"),
            std::string::npos);
  EXPECT_NE(Refused(R"({"terms": {}})").find("field"), std::string::npos);
  EXPECT_NE(Refused(R"({"avg": {"field": "n"}, "aggs": {"b": {"avg": {"field": "n"}}}})")
                .find("cannot accept sub-aggregations"),
            std::string::npos);
  EXPECT_EQ(Refused(R"({"terms": {"field": "body"}})"),
            "the field body is text, which has no values to count");
  EXPECT_EQ(Refused(R"({"date_histogram": {"field": "time", "calendar_interval": "2d"}})"),
            "The supplied interval [2d] could not be parsed as a calendar interval.");
  EXPECT_EQ(Refused(R"({"terms": {"field": "n", "order": {"x": "asc"}}})"),
            "Invalid aggregation order path [x]");
  EXPECT_EQ(Refused(R"({"histogram": {"field": "n", "interval": 0}})"),
            "[interval] must be >0 for histogram aggregation");
}

TEST_F(ElasticsearchAggregationsTest, ExtendedBoundsAreInTheZoneOfTheHistogram) {
  const auto days = [this](const std::string& zone, const std::string& min,
                           const std::string& max) {
    const Json answer = Ask("/one/_search", R"({"size": 0, "query": {"match_none": {}}, "aggs": {
        "a": {"date_histogram": {"field": "time", "calendar_interval": "day",
              "time_zone": ")" + zone + R"(", "extended_bounds": {"min": ")" +
                                                min + R"(", "max": ")" + max + R"("}}}}})");
    std::string keys;
    const Json buckets = answer["aggregations"]["a"]["buckets"];
    for (const Json& bucket : buckets) {
      keys += bucket["key_as_string"].get<std::string>().substr(0, 10) + " ";
    }
    return keys;
  };
  for (const char* const zone : {"-05:00", "+09:30", "UTC", "America/New_York"}) {
    EXPECT_EQ(days(zone, "2020-01-01", "2020-01-02"), "2020-01-01 2020-01-02 ") << zone;
    EXPECT_EQ(days(zone, "2020-01-01||+1d/d", "2020-01-02"), "2020-01-02 ") << zone;
  }
  EXPECT_EQ(days("-05:00", "2020-01-01T04:59:59Z", "2020-01-01T05:00:00Z"),
            "2019-12-31 2020-01-01 ");
  EXPECT_EQ(days("-05:00", "1577836800000", "1577836800000"), "2019-12-31 ");
  EXPECT_EQ(
      Refused(
          R"({"histogram": {"field": "n", "interval": 1, "extended_bounds": {"min": 2, "max": 1}}})"),
      "[extended_bounds.min][2] cannot be greater than [extended_bounds.max][1] for histogram "
      "aggregation named [a]");
  EXPECT_NE(Refused(R"({"histogram": {"field": "n", "interval": 1, "extended_bounds": [1]}})"), "");
  EXPECT_NE(Refused(R"({"date_histogram": {"field": "time", "calendar_interval": "day",
                        "extended_bounds": {"min": "2020-01-02", "max": "2020-01-01"}}})")
                .find("cannot be greater"),
            std::string::npos);
}

TEST_F(ElasticsearchAggregationsTest, RangesAreNamedByTheBoundsOfTheRequest) {
  const Json ranges =
      One(R"({"range": {"field": "n", "ranges": [{"from": 1.5, "to": 2.5}, {"from": 1e30}]}})");
  EXPECT_EQ(ranges["buckets"][0]["key"], "1.5-2.5");
  EXPECT_EQ(ranges["buckets"][0]["to"], 2.5);
  EXPECT_EQ(ranges["buckets"][1]["from"], 1e30);
  EXPECT_EQ(ranges["buckets"][1]["doc_count"], 0);
}

TEST_F(ElasticsearchAggregationsTest, WhatEveryBucketMayRepeatIsLimited) {
  Json percents = Json::array();
  for (int i = 0; i < 1001; ++i) percents.push_back(i / 20.0);
  EXPECT_EQ(Refused(R"({"percentiles": {"field": "n", "percents": )" + percents.dump() + "}}"),
            "[percents] must have at most 1000 values");
  const std::string text(1025, 'y');
  for (const std::string& aggregation :
       {R"({"date_histogram": {"field": "time", "calendar_interval": "day", "format": ")" + text +
            "\"}}",
        R"({"range": {"field": "n", "ranges": [{"from": 1, "key": ")" + text + "\"}]}}",
        R"({"filters": {"filters": {")" + text + R"(": {"match_all": {}}}}})",
        R"({"filter": {"match_all": {}}, "aggs": {")" + text + R"(": {"max": {"field": "n"}}}})"}) {
    EXPECT_NE(Refused(aggregation).find("at most 1024 bytes"), std::string::npos);
  }
  Json many;
  for (int i = 0; i < 1000; ++i) many["a" + std::to_string(i)] = {{"max", {{"field", "n"}}}};
  EXPECT_EQ(Refused(R"({"filter": {"match_all": {}}, "aggs": )" + many.dump() + "}"),
            "a search must have at most 1000 aggregations");
}

TEST_F(ElasticsearchAggregationsTest, AnAnswerThatWouldBeTooLargeIsRefused) {
  const Json meta = {{"text", std::string(1 << 20, 'x')}};
  EXPECT_EQ(Refused(R"({"terms": {"field": "n", "size": 200}, "aggs": {"b": {"max": {"field": "n"},
                        "meta": )" +
                    meta.dump() + "}}}"),
            "the answer would be larger than 67108864 bytes");
}

TEST(AggregationWriter, RoundsDatesBefore1970Down) {
  ApiAggregation shown;
  shown.name = "a";
  shown.type = "terms";
  AggregationResult result;
  result.type = FieldType::kDate;
  result.buckets.emplace_back().key = {FieldType::kDate, false, ~uint64_t{0}, {}};
  AnswerBudget budget(1000, kNoDeadline);
  const auto written = WriteAggregations({shown}, {result}, budget);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ((*written)["a"]["buckets"][0]["key"], -1);
  EXPECT_EQ((*written)["a"]["buckets"][0]["key_as_string"], "1969-12-31T23:59:59.999Z");
  AnswerBudget late(1000, Deadline(Deadline::TimePoint::min()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(WriteAggregations({shown}, {result}, late).status()));
}

TEST(DatePattern, WritesNamedFormatsAndLetters) {
  constexpr int64_t kTime = 1'769'855'445'123'456'789;  // 2026-01-31T10:30:45.123456789Z
  const auto text = [](std::string_view format, const absl::TimeZone& zone = absl::UTCTimeZone()) {
    const auto pattern = DatePattern::Parse(format);
    return pattern.ok() ? pattern->Format(kTime, zone) : "wrong";
  };
  EXPECT_EQ(DatePattern().Format(kTime, absl::UTCTimeZone()), "2026-01-31T10:30:45.123Z");
  EXPECT_EQ(text("epoch_millis"), "1769855445123");
  EXPECT_EQ(text("yyyy-MM-dd'T'HH:mm||epoch_millis"), "2026-01-31T10:30");
  EXPECT_EQ(text("EEE d MMM yy, h:mm a"), "Sat 31 Jan 26, 10:30 AM");
  EXPECT_EQ(text("HH:mm:ss.SSSSSSXXX", absl::FixedTimeZone(-5400)), "09:00:45.123456-01:30");
  EXPECT_EQ(text("QQQ"), "wrong");
  EXPECT_EQ(text("'open"), "wrong");
}

}  // namespace elasticsearch_aggregations_test
}  // namespace pmdex
