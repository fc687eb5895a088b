#include "tools/server/search_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/column_index.h"
#include "tests/tools/server/served_library.h"
#include "tools/facet_flag.h"
#include "tools/search_output.h"

namespace pmdex {
namespace search_api_test {

using nlohmann::json;

class SearchApiTest : public testing::Test {
 protected:
  ServeOutcome Serve(const HttpRequest& request,
                     ServerClock::time_point arrival = ServerClock::now()) {
    const SearchApi api(options_, metrics_, cache_, nullptr);
    ServeOutcome outcome = api.Serve(request, {0, arrival, false}, index_);
    was_heavy_ = outcome.work != nullptr;
    if (was_heavy_) outcome.response = outcome.work();
    return outcome;
  }
  json Answer(const HttpRequest& request) { return json::parse(Serve(request).response.body); }

  SearchApiOptions options_;
  ServerMetrics metrics_;
  ResultCache cache_{0};
  std::shared_ptr<const ServedIndex> index_ =
      ServedLibrary("books", {"apple pear", "apple fig", "pear fig", "apple apple"});
  bool was_heavy_ = false;
};

TEST_F(SearchApiTest, AnswersAsTheSearcherDoes) {
  const json answer = Answer(GetRequest({"search"}, {{"q", "apple"}, {"count", "true"}}));
  EXPECT_FALSE(was_heavy_);
  json expected = json::parse(ResultToJson("apple", *index_->searcher->Search("apple", [] {
    SearchOptions options;
    options.count = true;
    return options;
  }())));
  expected["took_us"] = answer["took_us"];
  EXPECT_EQ(answer, expected);
}

TEST_F(SearchApiTest, SaysWhereTheTimeOfAHeavyAnswerWent) {
  const auto timing_of = [](const HttpResponse& response) {
    for (const auto& [name, value] : response.headers) {
      if (name == "Server-Timing") return value;
    }
    return std::string();
  };
  const HttpRequest heavy = GetRequest({"search"}, {{"q", "apple"}, {"snippets", "true"}});
  const auto late = ServerClock::now() - std::chrono::seconds(2);
  const std::string timing = timing_of(Serve(heavy, late).response);
  EXPECT_TRUE(was_heavy_);
  double queue = 0;
  double search = -1;
  double encode = -1;
  EXPECT_EQ(std::sscanf(timing.c_str(), "queue;dur=%lf, search;dur=%lf, encode;dur=%lf", &queue,
                        &search, &encode),
            3)
      << timing;
  EXPECT_GE(queue, 2000);
  EXPECT_GE(search, 0);
  EXPECT_GE(encode, 0);
  EXPECT_EQ(timing_of(Serve(GetRequest({"search"}, {{"q", "apple"}})).response), "");
}

TEST_F(SearchApiTest, SortsCountsAndShowsFieldsAsTheSearcherDoes) {
  index_ = ServedSnapshot("typed", MakeColumnIndex(5, {4000, 1000}).snapshot);
  SearchOptions options;
  options.k = 3;
  options.sort = *ParseSortKeys("n:desc,_doc");
  options.sort_after = {{false, "50"}, {false, "7"}};
  options.fields_out = {"level", "tags"};
  options.aggregations = {*ParseFacet("level"), *ParseFacet("time:date_histogram:1d")};
  json expected = json::parse(ResultToJson("w2", *index_->searcher->Search("w2", options)));
  ASSERT_EQ(expected["hits"].size(), 3u);
  ASSERT_EQ(expected["facets"].size(), 2u);
  const HttpRequest get = GetRequest({"search"}, {{"q", "w2"},
                                                  {"k", "3"},
                                                  {"sort", "n:desc,_doc"},
                                                  {"after", "[50,7]"},
                                                  {"fields_out", "level,tags"},
                                                  {"facet", "level"},
                                                  {"facet", "time:date_histogram:1d"}});
  const HttpRequest post = PostRequest({"search"}, R"({"query": "w2", "k": 3,
      "sort": "n:desc,_doc", "after": [50, 7], "fields_out": "level,tags",
      "facet": ["level", "time:date_histogram:1d"]})");
  for (const HttpRequest& request : {get, post}) {
    const json answer = Answer(request);
    EXPECT_TRUE(was_heavy_);
    expected["took_us"] = answer["took_us"];
    EXPECT_EQ(answer, expected);
  }
}

TEST_F(SearchApiTest, NamesTheFieldOrThePlaceOfTheQueryThatIsWrong) {
  index_ = ServedSnapshot("typed", MakeColumnIndex(5, {100}).snapshot);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"query": "all", "sort": "nowhere"})", "no document has the field nowhere"},
      {R"({"query": "all", "sort": "body"})", "text"},
      {R"({"query": "all", "sort": "n", "after": ["x"]})", "'x' is no value of n"},
      {R"({"query": "all", "sort": "n", "after": [1, 2]})", "2 values for 1 keys"},
      {R"({"query": "all", "facet": "nowhere"})", "nowhere"},
      {R"({"query": "all", "facet": "level:histogram"})", "level"},
      {R"({"query": "all", "fields_out": "nowhere"})", "nowhere"},
      {R"({"query": "all", "facet": "time:date_histogram:1s"})", "10000"},
      {R"({"query": "n:[1 TO x]", "facet": "level"})", "column 9"},
  };
  for (const auto& [body, part] : wrong) {
    const HttpResponse response = Serve(PostRequest({"search"}, body)).response;
    EXPECT_EQ(response.status, 400) << body << response.body;
    const json error = json::parse(response.body)["error"];
    EXPECT_THAT(error["reason"].get<std::string>(), testing::HasSubstr(part)) << body;
    EXPECT_FALSE(error["type"].get<std::string>().empty());
  }
}

TEST_F(SearchApiTest, CountsFacetsWithinTheDeadlineOnly) {
  index_ = ServedSnapshot("typed", MakeColumnIndex(5, {100}).snapshot);
  const HttpRequest request =
      GetRequest({"search"}, {{"q", "all"}, {"facet", "level"}, {"timeout_ms", "0"}});
  EXPECT_EQ(Serve(request).response.status, 503);
  EXPECT_TRUE(was_heavy_);
}

TEST_F(SearchApiTest, WaitsForThePoolAsLongAsItsQueriesHaveTime) {
  using std::chrono::milliseconds;
  options_.timeout = milliseconds(5000);
  const auto arrival = ServerClock::now();
  const auto time_of = [&](const std::string& body) {
    return Serve(PostRequest({"search"}, body), arrival).deadline - arrival;
  };
  EXPECT_EQ(time_of(R"({"query": "apple", "snippets": true, "timeout_ms": 70})"), milliseconds(70));
  EXPECT_EQ(time_of(R"({"query": "apple", "snippets": true, "timeout_ms": 60000})"),
            milliseconds(5000));
  EXPECT_EQ(time_of(R"({"queries": ["apple", "fig"], "timeout_ms": 90})"), milliseconds(90));
  EXPECT_EQ(time_of(R"({"queries": []})"), milliseconds(5000));
}

TEST_F(SearchApiTest, AnswersABatchOfNoQueries) {
  const HttpResponse response = Serve(PostRequest({"search"}, R"({"queries": []})")).response;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"results":[]})");
}

TEST_F(SearchApiTest, LetsThePoolTakeRequestsWithFacetsByWhatTheyCost) {
  const SearchRequests plain = *ParseSearchRequests(GetRequest({"search"}, {{"q", "a"}}), {});
  const SearchRequests facets =
      *ParseSearchRequests(GetRequest({"search"}, {{"q", "a"}, {"facet", "level>n:stats"}}), {});
  EXPECT_GT(facets.requests[0].EstimatedTime(1'000'000),
            plain.requests[0].EstimatedTime(1'000'000));
}

TEST_F(SearchApiTest, LeavesWhatCostsMoreToThePoolWithTheSameAnswer) {
  const json light = Answer(GetRequest({"search"}, {{"q", "apple fig"}}));
  EXPECT_FALSE(was_heavy_);
  options_.most_cost_of_loop = 0;
  json heavy = Answer(GetRequest({"search"}, {{"q", "apple fig"}}));
  EXPECT_TRUE(was_heavy_);
  EXPECT_EQ(metrics_.events(ServerEvent::kHeavy), 1u);
  heavy["took_us"] = light["took_us"];
  EXPECT_EQ(heavy, light);
}

TEST_F(SearchApiTest, AnswersEachQueryOfABatchAndItsErrors) {
  const json answer =
      Answer(PostRequest({"search"}, R"({"queries": ["apple", "(", {"query": "fig", "k": 1}]})"));
  EXPECT_TRUE(was_heavy_);
  ASSERT_EQ(answer["results"].size(), 3u);
  EXPECT_EQ(answer["results"][0]["hits"].size(), 3u);
  EXPECT_TRUE(answer["results"][1].contains("error"));
  EXPECT_EQ(answer["results"][2]["hits"].size(), 1u);
}

TEST_F(SearchApiTest, RefusesQueriesThatCannotBeParsedOrAreMissing) {
  EXPECT_EQ(Serve(GetRequest({"search"}, {{"q", "("}})).response.status, 400);
  EXPECT_EQ(Serve(GetRequest({"search"})).response.status, 400);
  EXPECT_EQ(Serve(GetRequest({"search"}, {{"query_", "a"}})).response.status, 400);
}

TEST_F(SearchApiTest, DoesNotBeginAQueryWhoseTimeIsOver) {
  const auto long_ago = ServerClock::now() - std::chrono::hours(1);
  const HttpResponse late = Serve(GetRequest({"search"}, {{"q", "apple"}}), long_ago).response;
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(metrics_.events(ServerEvent::kDeadline), 1u);
}

TEST_F(SearchApiTest, AnswersFromTheCacheWhileTheGenerationIsTheSame) {
  ResultCache cache(1 << 20);
  const SearchApi api(options_, metrics_, cache, nullptr);
  const auto ask = [&](const std::string& k) {
    return api
        .Serve(GetRequest({"search"}, {{"q", "apple"}, {"k", k}}), {0, ServerClock::now(), false},
               index_)
        .response.body;
  };
  const std::string first = ask("2");
  EXPECT_EQ(ask("2"), first);  // took_us included
  EXPECT_NE(ask("1"), first);
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheHit), 1u);
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheMiss), 2u);
}

TEST_F(SearchApiTest, KeepsAnswersWithOtherFieldsApart) {
  index_ = ServedSnapshot("typed", MakeColumnIndex(5, {100}).snapshot);
  ResultCache cache(1 << 20);
  const SearchApi api(options_, metrics_, cache, nullptr);
  const auto ask = [&](const std::string& body) {
    ServeOutcome outcome =
        api.Serve(PostRequest({"search"}, body), {0, ServerClock::now(), false}, index_);
    if (outcome.work != nullptr) outcome.response = outcome.work();
    EXPECT_EQ(outcome.response.status, 200) << body << outcome.response.body;
    return outcome.response.body;
  };
  const std::vector<std::string> bodies = {
      R"({"query": "all"})",
      R"({"query": "all", "sort": "n"})",
      R"({"query": "all", "sort": "n:desc"})",
      R"({"query": "all", "sort": "n", "after": [3]})",
      R"({"query": "all", "sort": "n", "after": [null]})",
      R"({"query": "all", "facet": "level"})",
      R"({"query": "all", "facet": ["level", "tags"]})",
      R"({"query": "all", "fields_out": "level"})",
      R"({"query": "all", "fields_out": "level,tags"})",
  };
  std::vector<std::string> first;
  for (const std::string& body : bodies) first.push_back(ask(body));
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheHit), 0u);
  for (size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(ask(bodies[i]), first[i]);
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheHit), bodies.size());
  ask(R"({"query": "time:>now-7d"})");
  ask(R"({"query": "time:>now-7d"})");
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheHit), bodies.size());
  EXPECT_EQ(metrics_.events(ServerEvent::kCacheMiss), bodies.size());
}

TEST_F(SearchApiTest, SendsVeryManyHitsInPiecesOfTheSameText) {
  index_ = ServedLibrary("many", std::vector<std::string>(10'050, "apple"), 20'000);
  HttpResponse response = Serve(GetRequest({"search"}, {{"q", "apple"}, {"k", "20000"}})).response;
  ASSERT_TRUE(response.next_piece != nullptr);
  std::string body = response.body;
  for (std::string piece = response.next_piece(); !piece.empty(); piece = response.next_piece()) {
    EXPECT_LT(piece.size(), 100'000u);
    body += piece;
  }
  const json answer = json::parse(body);
  EXPECT_EQ(answer["hits"].size(), 10'050u);
  EXPECT_EQ(answer["hits"][10'049]["id"], "10049");
}

}  // namespace search_api_test
}  // namespace pmdex
