// Fields that are not text in the Elasticsearch API: range, term, exists, sort, search_after,
// scrolls and mappings, against the values themselves.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/run_program.h"
#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace typed_fields_api_test {

struct Thing {
  std::string id;
  std::optional<int64_t> size;
  double price = 0;
  std::string level;
  int day = 1;  // of January 2026
  bool sold = false;
};

std::vector<Thing> MakeThings() {
  SeededRandom random(17);
  std::vector<Thing> things;
  for (int i = 0; i < 300; ++i) {
    Thing& thing = things.emplace_back();
    thing.id = "t" + std::to_string(i);
    if (!random.OneIn(4)) thing.size = static_cast<int64_t>(random.Below(40)) - 20;
    thing.price = static_cast<double>(random.Below(100)) / 4 + 0.25;
    constexpr const char* kLevels[] = {"error", "info", "warn", "debug"};
    thing.level = kLevels[random.Below(4)];
    thing.day = 1 + static_cast<int>(random.Below(31));
    thing.sold = random.OneIn(2);
  }
  return things;
}

std::string DayOf(int day) {
  return std::string("2026-01-") + (day < 10 ? "0" : "") + std::to_string(day);
}

std::string LineOf(const Thing& thing) {
  Json line = {
      {"id", thing.id},       {"body", "a thing of level " + thing.level}, {"price", thing.price},
      {"level", thing.level}, {"time", DayOf(thing.day) + "T12:00:00Z"},   {"sold", thing.sold}};
  if (thing.size.has_value()) line["meta"] = {{"size", *thing.size}};
  return ToJsonText(line) + "\n";
}

class TypedFieldsApi : public ElasticsearchFixture {
 protected:
  static void SetUpTestSuite() {
    const TemporaryDirectory scratch;
    std::string lines;
    for (const Thing& thing : MakeThings()) lines += LineOf(thing);
    IndexSettings settings;
    settings.store_text = true;
    Indexes() = {IndexOf(scratch.Write("things.jsonl", lines), settings)};
  }
  static std::shared_ptr<const ServedIndex> IndexOf(const std::string& path,
                                                    const IndexSettings& settings) {
    return IndexOfFile("things", path, settings, {},
                       {{"level", {FieldType::kKeyword, Multiplicity::kOne}}});
  }

  template <typename Matches>
  void ExpectHits(const std::string& query, const Matches& matches) {
    SCOPED_TRACE(query);
    const Json answer = Ask("POST", "/things/_search",
                            "{\"size\": 1000, \"sort\": [\"_doc\"], \"query\": " + query + "}");
    ASSERT_TRUE(answer.contains("hits")) << answer.dump();
    std::vector<std::string> got;
    for (const Json& hit : answer["hits"]["hits"]) got.push_back(hit["_id"]);
    std::vector<std::string> expected;
    for (const Thing& thing : things_) {
      if (matches(thing)) expected.push_back(thing.id);
    }
    EXPECT_EQ(got, expected);
  }

  const std::vector<Thing> things_ = MakeThings();
};

TEST_F(TypedFieldsApi, RangesFindTheDocumentsWithAValueBetweenTheBounds) {
  ExpectHits(R"({"range": {"meta.size": {"gte": -5, "lt": 7}}})",
             [](const Thing& t) { return t.size.has_value() && *t.size >= -5 && *t.size < 7; });
  ExpectHits(R"({"range": {"meta.size": {"gt": -5.5, "lte": "6.9"}}})",
             [](const Thing& t) { return t.size.has_value() && *t.size >= -5 && *t.size <= 6; });
  ExpectHits(R"({"range": {"price": {"gt": 20.25}}})",
             [](const Thing& t) { return t.price > 20.25; });
  ExpectHits(R"({"range": {"level": {"gte": "e", "lt": "j"}}})",
             [](const Thing& t) { return t.level == "error" || t.level == "info"; });
  ExpectHits(R"({"range": {"time": {"gt": "2026-01-09", "lte": "2026-01-20"}}})",
             [](const Thing& t) { return t.day > 9 && t.day <= 20; });
  ExpectHits(R"({"range": {"time": {"gte": "2026-01-10T12:00:00", "time_zone": "+01:00"}}})",
             [](const Thing& t) { return t.day >= 10; });
  ExpectHits(R"({"range": {"time": {"gt": "2026-01-10T12:00:00", "time_zone": "-01:00"}}})",
             [](const Thing& t) { return t.day > 10; });
  ExpectHits(R"({"range": {"time": {"gte": "2026-01-11T12:00:00||-1d", "time_zone": "+01:00"}}})",
             [](const Thing& t) { return t.day >= 10; });
  ExpectHits(R"({"range": {"time": {"gt": "2026-01-11T12:00:00||-1d",
                                    "time_zone": "America/New_York"}}})",
             [](const Thing& t) { return t.day > 10; });
  ExpectHits(R"({"range": {"time": {"gte": "2026-01-10T12:00:00", "time_zone": "Europe/Berlin"}}})",
             [](const Thing& t) { return t.day >= 10; });
  ExpectHits(R"({"range": {"time": {"lt": "2027", "gte": "2026", "time_zone": "+13:00"}}})",
             [](const Thing&) { return true; });
  ExpectHits(R"({"range": {"time": {"lt": "2026-02", "time_zone": "+13:00"}}})",
             [](const Thing& t) { return t.day < 31; });
  ExpectHits(R"({"range": {"meta.size": {"gt": 2, "gte": 1}}})",
             [](const Thing& t) { return t.size.has_value() && *t.size >= 1; });
  ExpectHits(R"({"range": {"meta.size": {"gte": 1, "gt": 2}}})",
             [](const Thing& t) { return t.size.has_value() && *t.size > 2; });
  ExpectHits(R"({"range": {"nothing": {"gte": 1}}})", [](const Thing&) { return false; });
  ExpectHits(R"({"range": {"meta.size": {}}})", [](const Thing& t) { return t.size.has_value(); });
}

TEST_F(TypedFieldsApi, OtherQueriesFindValuesAsTheyStand) {
  ExpectHits(R"({"term": {"meta.size": 3}})", [](const Thing& t) { return t.size == 3; });
  ExpectHits(R"({"terms": {"meta.size": [3, -4, 99]}})",
             [](const Thing& t) { return t.size == 3 || t.size == -4; });
  ExpectHits(R"({"term": {"sold": true}})", [](const Thing& t) { return t.sold; });
  ExpectHits(R"({"term": {"time": "2026-01-05"}})", [](const Thing& t) { return t.day == 5; });
  ExpectHits(R"({"match": {"level": "error"}})", [](const Thing& t) { return t.level == "error"; });
  ExpectHits(R"({"prefix": {"level": "e"}})", [](const Thing& t) { return t.level == "error"; });
  ExpectHits(R"({"wildcard": {"level": "*r*"}})",
             [](const Thing& t) { return t.level == "error" || t.level == "warn"; });
  ExpectHits(R"({"exists": {"field": "meta"}})", [](const Thing& t) { return t.size.has_value(); });
  ExpectHits(R"({"exists": {"field": "pri*"}})", [](const Thing&) { return true; });
  ExpectHits(R"({"query_string": {"query": "price:[2 TO 4} AND level:warn"}})",
             [](const Thing& t) { return t.price >= 2 && t.price < 4 && t.level == "warn"; });
  ExpectHits(
      R"({"bool": {"filter": [{"range": {"price": {"lt": 9}}}, {"term": {"body": "warn"}}]}})",
      [](const Thing& t) { return t.price < 9 && t.level == "warn"; });
}

TEST_F(TypedFieldsApi, WhatAFieldCannotTakeIsRefusedByName) {
  const auto expect_error = [&](const std::string& query, const std::string& words) {
    const HttpResponse response = Send("POST", "/things/_search", "{\"query\": " + query + "}");
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_NE(response.body.find(words), std::string::npos) << response.body;
  };
  expect_error(R"({"range": {"meta.size": {"gte": "x"}}})", "For input string");
  expect_error(R"({"range": {"time": {"gte": "soon"}}})", "failed to parse date field [soon]");
  expect_error(R"({"range": {"price": {"above": 1}}})", "[above]");
  expect_error(R"({"range": {"body": {"gte": "a"}}})", "[body]");
  expect_error(R"({"range": {"time": {"gte": "1", "format": "HH:mm"}}})", "[HH:mm]");
  expect_error(R"({"range": {"time": {"gte": "2026", "time_zone": "Mars"}}})", "[Mars]");
  expect_error(R"({"prefix": {"price": "1"}})", "which is of type [double]");
  expect_error(R"({"fuzzy": {"price": "1"}})", "fuzzy");
}

// The order of the oracle: missing values last, equal ones in index order.
std::vector<Thing> Sorted(std::vector<Thing> things, bool descending) {
  std::stable_sort(things.begin(), things.end(), [&](const Thing& a, const Thing& b) {
    if (a.size.has_value() != b.size.has_value()) return a.size.has_value();
    if (a.size != b.size) return descending ? a.size > b.size : a.size < b.size;
    return a.level < b.level;
  });
  return things;
}

TEST_F(TypedFieldsApi, SortsByFieldsPageByPage) {
  for (const bool descending : {false, true}) {
    const std::vector<Thing> expected = Sorted(things_, descending);
    const std::string sort = std::string(R"("sort": [{"meta.size": ")") +
                             (descending ? "desc" : "asc") + R"("}, "level", "_doc"])";
    std::string after;
    size_t next = 0;
    while (true) {
      const Json page = Ask("POST", "/things/_search", "{\"size\": 37, " + after + sort + "}");
      ASSERT_TRUE(page.contains("hits")) << page.dump();
      EXPECT_TRUE(page["hits"]["max_score"].is_null());
      if (page["hits"]["hits"].empty()) break;
      for (const Json& hit : page["hits"]["hits"]) {
        const Thing& thing = expected.at(next++);
        EXPECT_EQ(hit["_id"], thing.id);
        EXPECT_TRUE(hit["_score"].is_null());
        EXPECT_EQ(hit["sort"][0], thing.size.has_value() ? Json(*thing.size) : Json());
        EXPECT_EQ(hit["sort"][1], thing.level);
      }
      after = "\"search_after\": " + page["hits"]["hits"].back()["sort"].dump() + ", ";
    }
    EXPECT_EQ(next, expected.size());
  }
}

TEST_F(TypedFieldsApi, ScrollsInTheOrderOfAFieldGiveEachHitOnce) {
  const std::vector<Thing> expected = Sorted(things_, false);
  Json page =
      Ask("POST", "/things/_search?scroll=1m", R"({"size": 41, "sort": ["meta.size", "level"]})");
  const std::string id = page["_scroll_id"];
  size_t next = 0;
  while (!page["hits"]["hits"].empty()) {
    for (const Json& hit : page["hits"]["hits"]) EXPECT_EQ(hit["_id"], expected.at(next++).id);
    page = Ask("POST", "/_search/scroll", R"({"scroll_id": ")" + id + "\"}");
  }
  EXPECT_EQ(next, expected.size());
}

TEST_F(TypedFieldsApi, PagesByTruthValuesGoOnBehindTheOneThatWasShown) {
  std::vector<std::string> expected;
  for (const bool sold : {false, true}) {
    for (const Thing& thing : things_) {
      if (thing.sold == sold) expected.push_back(thing.id);
    }
  }
  std::vector<std::string> found;
  std::string after;
  while (true) {
    const Json page =
        Ask("POST", "/things/_search", "{\"size\": 70, " + after + R"("sort": ["sold", "_doc"]})");
    ASSERT_TRUE(page.contains("hits")) << page.dump();
    if (page["hits"]["hits"].empty()) break;
    for (const Json& hit : page["hits"]["hits"]) found.push_back(hit["_id"]);
    after = "\"search_after\": " + page["hits"]["hits"].back()["sort"].dump() + ", ";
  }
  EXPECT_EQ(found, expected);
  for (const char* const value : {"0", "false", "\"false\""}) {
    const Json page =
        Ask("POST", "/things/_search",
            std::string(R"({"size": 1000, "sort": ["sold"], "search_after": [)") + value + "]}");
    const auto sold = std::count_if(things_.begin(), things_.end(),
                                    [](const Thing& thing) { return thing.sold; });
    EXPECT_EQ(page["hits"]["hits"].size(), static_cast<size_t>(sold)) << value;
  }
}

TEST_F(TypedFieldsApi, SortValuesOfDatesAreMilliseconds) {
  const Json answer = Ask("POST", "/things/_search", R"({"size": 1, "sort": ["time"]})");
  const int64_t first = answer["hits"]["hits"][0]["sort"][0];
  EXPECT_EQ(first % 86'400'000, 43'200'000) << "noon";
  EXPECT_EQ(first / 86'400'000, 20'454) << "2026-01-01";
}

TEST_F(TypedFieldsApi, SortsThatCannotBeAreRefusedAsInElasticsearch) {
  const auto expect_error = [&](const std::string& sort, const std::string& words) {
    const HttpResponse response = Send("POST", "/things/_search", "{\"sort\": " + sort + "}");
    EXPECT_EQ(response.status, 400) << sort;
    EXPECT_NE(response.body.find(words), std::string::npos) << response.body;
  };
  expect_error(R"(["_score"], "search_after": [1.5])", "Sort must contain at least one field");
  expect_error(R"(["nofield"])", "No mapping found for [nofield] in order to sort on");
  expect_error(R"(["body"])", "Text fields are not optimised");
  expect_error(R"([{"price": {"missing": "_first"}}])", "[missing] [_first]");
  expect_error(R"([{"price": {"order": "up"}}])", "No enum constant SortOrder.UP");
}

TEST_F(TypedFieldsApi, MappingsSayTheTypes) {
  const Json mapping = Ask("GET", "/things/_mapping")["things"]["mappings"]["properties"];
  EXPECT_EQ(mapping["meta"]["properties"]["size"], (Json{{"type", "long"}}));
  EXPECT_EQ(mapping["price"], (Json{{"type", "double"}}));
  EXPECT_EQ(mapping["level"], (Json{{"type", "keyword"}}));
  EXPECT_EQ(mapping["time"], (Json{{"type", "date"}}));
  EXPECT_EQ(mapping["sold"], (Json{{"type", "boolean"}}));
  EXPECT_EQ(mapping["body"], (Json{{"type", "text"}}));
  const Json field = Ask("GET", "/things/_mapping/field/meta.size");
  EXPECT_EQ(field["things"]["mappings"]["meta.size"]["mapping"]["size"], (Json{{"type", "long"}}));
  const Json capabilities = Ask("GET", "/things/_field_caps?fields=price,body");
  EXPECT_EQ(capabilities["fields"]["price"]["double"]["aggregatable"], true);
  EXPECT_EQ(capabilities["fields"]["body"]["text"]["aggregatable"], false);
}

}  // namespace typed_fields_api_test
}  // namespace pmdex
