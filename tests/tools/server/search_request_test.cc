#include "tools/server/search_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/server/served_library.h"

namespace pmdex {
namespace search_request_test {

using testing::HasSubstr;

absl::StatusOr<SearchRequests> Parse(const HttpRequest& request) {
  SearchRequestLimits limits;
  limits.k = 100;
  limits.query_bytes = 20;
  limits.queries = 3;
  limits.fields = 4;
  return ParseSearchRequests(request, limits);
}

TEST(SearchRequest, ReadsTheParametersOfTheUrl) {
  const auto parsed = Parse(GetRequest({"search"}, {{"q", "a b"},
                                                    {"k", "7"},
                                                    {"similarity", "tfidf"},
                                                    {"count", ""},
                                                    {"exhaustive", "true"},
                                                    {"explain", "0"},
                                                    {"timeout_ms", "50"}}));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->is_batch);
  const SearchRequest& request = parsed->requests.at(0);
  EXPECT_EQ(request.query, "a b");
  EXPECT_EQ(request.options.k, 7u);
  EXPECT_EQ(request.options.similarity.kind, SimilarityKind::kTfidf);
  EXPECT_TRUE(request.options.count && request.options.exhaustive);
  EXPECT_FALSE(request.options.explain || request.options.snippets);
  EXPECT_EQ(request.timeout, std::chrono::milliseconds(50));
}

TEST(SearchRequest, ReadsTheSameKeysFromABody) {
  const auto parsed = Parse(PostRequest({"search"}, R"({"query": "a", "k": 3, "snippets": true})"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->requests.at(0).query, "a");
  EXPECT_EQ(parsed->requests.at(0).options.k, 3u);
  EXPECT_TRUE(parsed->requests.at(0).IsHeavy());
}

TEST(SearchRequest, ReadsFieldsFromTheUrlAndFromABody) {
  const auto url = Parse(GetRequest({"search"}, {{"q", "a"},
                                                 {"sort", "size:desc,_doc"},
                                                 {"after", "[12, null]"},
                                                 {"facet", "ext"},
                                                 {"facet", "ext>size:stats"},
                                                 {"fields_out", "size,ext"}}));
  ASSERT_TRUE(url.ok()) << url.status();
  const SearchOptions& options = url->requests.at(0).options;
  ASSERT_EQ(options.sort.size(), 2u);
  EXPECT_TRUE(options.sort[0].field == "size" && options.sort[0].descending);
  ASSERT_EQ(options.sort_after.size(), 2u);
  EXPECT_EQ(options.sort_after[0].text, "12");
  EXPECT_TRUE(options.sort_after[1].missing);
  ASSERT_EQ(options.aggregations.size(), 2u);
  EXPECT_EQ(options.aggregations[1].below.size(), 1u);
  EXPECT_EQ(options.fields_out, (std::vector<std::string>{"size", "ext"}));
  EXPECT_TRUE(url->requests[0].IsHeavy());

  const auto body = Parse(PostRequest({"search"}, R"({"query": "a",
      "sort": ["size:desc", "_doc"], "after": [12, null], "facet": ["ext", "ext>size:stats"],
      "fields_out": ["size", "ext"]})"));
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->requests.at(0).AnswerKey(), url->requests[0].AnswerKey());
}

TEST(SearchRequest, TakesTheFacetsOfAQueryInPlaceOfThoseOfItsBatch) {
  const auto parsed = Parse(PostRequest({"search"}, R"({"facet": "ext", "sort": "size",
      "queries": ["a", {"q": "b", "facet": ["size:stats"]}, {"q": "c", "after": [1]}]})"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->requests[0].facets, std::vector<std::string>{"ext"});
  EXPECT_EQ(parsed->requests[1].facets, std::vector<std::string>{"size:stats"});
  EXPECT_EQ(parsed->requests[1].options.aggregations.size(), 1u);
  EXPECT_EQ(parsed->requests[2].options.sort_after.size(), 1u);
}

TEST(SearchRequest, KeepsNoAnswerThatMayDependOnTheTime) {
  const auto can_be_kept = [](const std::string& query, const std::string& facet) {
    return Parse(GetRequest({"search"}, {{"q", query}, {"facet", facet}}))
        ->requests.at(0)
        .CanBeKept();
  };
  EXPECT_TRUE(can_be_kept("snow know", "ext"));
  EXPECT_TRUE(can_be_kept("time:>2026", "time:range:2026,*"));
  for (const char* query :
       {"time:>now-7d", "time:{* TO now]", "now", R"(t:>n\ow)", R"(t:>\u006eow)", "time:now/d"}) {
    EXPECT_FALSE(can_be_kept(query, "ext")) << query;
  }
  EXPECT_FALSE(can_be_kept("a", "time:range:now-7d,now"));
  EXPECT_FALSE(can_be_kept("a", "ext>time:range:now-7d,now"));
}

TEST(SearchRequest, GivesEachQueryOfABatchTheKeysBesideIt) {
  const auto parsed =
      Parse(PostRequest({"search"}, R"({"k": 3, "queries": ["a", {"q": "b", "k": 4}]})"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(parsed->is_batch);
  ASSERT_EQ(parsed->requests.size(), 2u);
  EXPECT_EQ(parsed->requests[0].query, "a");
  EXPECT_EQ(parsed->requests[0].options.k, 3u);
  EXPECT_EQ(parsed->requests[1].query, "b");
  EXPECT_EQ(parsed->requests[1].options.k, 4u);
}

TEST(SearchRequest, TakesNoParameterTwiceButFacet) {
  EXPECT_TRUE(Parse(GetRequest({"search"}, {{"facet", "ext"}, {"facet", "dir"}})).ok());
  for (const char* name : {"q", "k", "sort", "fields_out"}) {
    const auto parsed = Parse(GetRequest({"search"}, {{name, "1"}, {"q", "a"}, {name, "1"}}));
    ASSERT_TRUE(absl::IsInvalidArgument(parsed.status())) << name;
    EXPECT_THAT(parsed.status().ToString(), HasSubstr("comes twice")) << name;
  }
}

TEST(SearchRequest, NamesWhatItDoesNotKnowOrCannotTake) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"quary": "a"})", "'quary' is not known"},
      {R"({"query": 7})", "'query': expected a text"},
      {R"({"query": "aaaaaaaaaaaaaaaaaaaaa"})", "at most 20 bytes"},
      {R"({"k": 101})", "'k': expected a number from 0 to 100"},
      {R"({"k": -1})", "'k'"},
      {R"({"k": 1.5})", "'k'"},
      {R"({"k": [1]})", "'k'"},
      {R"({"count": "maybe"})", "'count'"},
      {R"({"similarity": "x"})", "bm25 or tfidf"},
      {R"({"queries": "a"})", "'queries'"},
      {R"({"queries": ["a", "b", "c", "d"]})", "at most 3"},
      {R"({"queries": [1]})", "'queries'"},
      {R"({"queries": [{"queries": []}]})", "'queries'"},
      {R"({"queries": ["a", {"quary": "b"}]})", "queries[1]: 'quary' is not known"},
      {R"({"query": "a", "queries": ["b"]})", "more than one of q, query and queries"},
      {R"({"q": "a", "query": "b"})", "more than one of q, query and queries"},
      {R"({"sort": 7})", "'sort'"},
      {R"({"sort": [7]})", "'sort'"},
      {R"({"sort": ""})", "sort: a field has no name"},
      {R"({"sort": ["a", "b", "c", "d", "e"]})", "'sort': expected at most 4"},
      {R"({"query": "a", "after": [1]})", "'after' goes with 'sort'"},
      {R"({"sort": "a", "after": {"a": 1}})", "'after'"},
      {R"({"sort": "a", "after": "x"})", "after: this is no JSON array"},
      {R"({"facet": "ext:words"})", "facet 'ext:words': unknown type"},
      {R"({"facet": ["a", "b", "c", "d", "e"]})", "'facet': expected at most 4"},
      {R"({"facet": {"ext": 1}})", "'facet'"},
      {R"({"fields_out": true})", "'fields_out'"},
      {R"({"fields_out": "a,b,c,d,e"})", "'fields_out': expected at most 4"},
      {"[]", "not a JSON object"},
      {"{", "not a JSON object"},
      {"{\"query\": \"\xff\"}", "not a JSON object"},
  };
  for (const auto& [body, part] : wrong) {
    const auto parsed = Parse(PostRequest({"search"}, body));
    ASSERT_TRUE(absl::IsInvalidArgument(parsed.status())) << body;
    EXPECT_THAT(parsed.status().ToString(), HasSubstr(part)) << body;
  }
}

}  // namespace search_request_test
}  // namespace pmdex
