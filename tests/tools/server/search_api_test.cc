#include "tools/server/search_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/server/served_library.h"
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
