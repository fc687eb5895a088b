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
  EXPECT_EQ(request.options.similarity, SimilarityKind::kTfidf);
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
