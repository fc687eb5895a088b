// The flag --facet, and what it prints.
#include "tools/facet_output.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "query/searcher.h"
#include "tests/support/column_index.h"
#include "tools/facet_flag.h"

namespace pmdex {
namespace facet_output_test {

using nlohmann::json;

json Facet(const Searcher& searcher, const std::string& flag, std::string* text) {
  SearchOptions options;
  const auto facet = ParseFacet(flag);
  EXPECT_TRUE(facet.ok()) << facet.status();
  options.aggregations = {*facet};
  const auto result = searcher.Search("all", options);
  EXPECT_TRUE(result.ok()) << result.status();
  JsonWriter json;
  WriteFacets(result->aggregations, json);
  if (text != nullptr) AppendFacets(result->aggregations, 0, *text);
  return json::parse(json.result())[0];
}

TEST(FacetFlag, HasAFieldATypeAndAnArgument) {
  EXPECT_EQ(ParseFacet("ext")->kind, AggregationKind::kTerms);
  EXPECT_EQ(ParseFacet("ext:terms:3")->size, 3u);
  EXPECT_EQ(ParseFacet("size:histogram:1K")->interval, 1024);
  EXPECT_EQ(ParseFacet("a:b:stats")->field, "a:b");
  const auto ranges = ParseFacet("time:range:2026-01-01T10:00:00Z,2026-02-01T10:00:00Z,*");
  ASSERT_TRUE(ranges.ok());
  ASSERT_EQ(ranges->ranges.size(), 2u);
  EXPECT_EQ(ranges->ranges[0].to, "2026-02-01T10:00:00Z");
  EXPECT_FALSE(ranges->ranges[1].to.has_value());
  EXPECT_EQ(ParseFacet("ext>size:percentiles:50,99.9")->below[0].percents[1], 99.9);
  AggregationResult result;
  result.kind = AggregationKind::kDateHistogram;
  EXPECT_EQ(FacetTypeName(result), "date_histogram");
  EXPECT_EQ(ParseFacet("size:avg")->kind, AggregationKind::kStats);
  EXPECT_EQ(ParseFacet("size:avg")->shown, MetricName::Part::kAvg);
  EXPECT_FALSE(ParseFacet("size:stats")->shown.has_value());
}

TEST(FacetFlag, RefusesWhatIsNoFacet) {
  for (const char* const wrong :
       {"", ":terms", "ext:words", "ext:terms:0", "ext:terms:x", "size:histogram:-1",
        "size:histogram:x", "time:date_histogram:1x", "size:range:1", "size:stats:1",
        "size:percentiles:101", "size:stats>ext", "size:min:1", "size:sum>ext", "a>b>c", "ext>"}) {
    EXPECT_FALSE(ParseFacet(wrong).ok()) << wrong;
  }
}

TEST(FacetOutput, WritesEachTypeWithItsKeys) {
  const ColumnIndex index = MakeColumnIndex(3, {5000});
  const Searcher searcher(index.snapshot);
  std::string text;
  const auto terms = Facet(searcher, "level:terms:2", &text);
  EXPECT_EQ(terms["field"], "level");
  EXPECT_EQ(terms["type"], "terms");
  EXPECT_EQ(terms["exact"], true);
  ASSERT_EQ(terms["buckets"].size(), 2u);
  EXPECT_EQ(terms["buckets"][0]["key"], "info");
  const uint64_t shown =
      terms["buckets"][0]["count"].get<uint64_t>() + terms["buckets"][1]["count"].get<uint64_t>();
  EXPECT_EQ(terms["other"], 5000 - shown);
  EXPECT_NE(text.find("level (terms):\n"), std::string::npos);
  EXPECT_NE(text.find("  info\n"), std::string::npos);

  const auto range = Facet(searcher, "n:range:*,0,50", &text);
  EXPECT_FALSE(range["buckets"][0].contains("from"));
  EXPECT_EQ(range["buckets"][0]["to"], 0);
  EXPECT_NE(text.find("  0 to 50\n"), std::string::npos);

  const auto stats = Facet(searcher, "one:stats", &text);
  EXPECT_EQ(stats["min"], 7);
  EXPECT_EQ(stats["avg"], 7.0);
  EXPECT_EQ(stats["sum"], 35'000);
  EXPECT_NE(text.find("min 7, max 7, avg 7, sum 35000, count 5,000"), std::string::npos) << text;

  for (const auto& [type, value] :
       std::map<std::string, json>{{"min", 7}, {"max", 7}, {"avg", 7.0}, {"sum", 35'000}}) {
    text.clear();
    const json expected = {{"field", "one"}, {"type", type}, {"exact", true}, {"value", value}};
    EXPECT_EQ(Facet(searcher, "one:" + type, &text), expected);
    EXPECT_EQ(text, "one (" + type + "): " + std::to_string(value.get<int>()) + "\n");
  }
  const auto dated = Facet(searcher, "time:max", &text);
  EXPECT_EQ(dated["value"], Facet(searcher, "time:stats", nullptr)["max"]);

  EXPECT_EQ(Facet(searcher, "level:cardinality", &text)["value"], 5);
  EXPECT_EQ(Facet(searcher, "one:percentiles:50", &text)["values"]["50"], 7);
  const auto dates = Facet(searcher, "time:date_histogram:1M", nullptr);
  EXPECT_EQ(dates["buckets"][0]["key"], "2023-11-01T00:00:00Z");
  const auto nested = Facet(searcher, "flag>one:stats", nullptr);
  EXPECT_EQ(nested["buckets"][0]["facets"][0]["count"], nested["buckets"][0]["count"]);
}

}  // namespace facet_output_test
}  // namespace pmdex
