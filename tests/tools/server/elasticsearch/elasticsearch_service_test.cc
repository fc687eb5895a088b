#include "tools/server/elasticsearch/elasticsearch_service.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/support/run_program.h"
#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace elasticsearch_service_test {

class ElasticsearchServiceTest : public ElasticsearchFixture {
 protected:
  ServeOutcome Serve(const std::string& method, const std::string& url,
                     const std::string& body = "") {
    return Serve(RequestOf(method, url, body), ServerClock::now());
  }
  ServeOutcome Serve(HttpRequest request, ServerClock::time_point arrival) {
    const ElasticsearchService& service = service_;
    return service.Serve(std::move(request), {0, arrival, false},
                         std::make_shared<const ServedIndexes>(Indexes()));
  }
  bool IsDeferred(const std::string& method, const std::string& url, const std::string& body = "") {
    return Serve(method, url, body).work != nullptr;
  }

  ServerMetrics metrics_;
  ElasticsearchService service_{{{}, std::chrono::seconds(20), 1000}, metrics_, {}};
};

TEST_F(ElasticsearchServiceTest, AnswersCheapRequestsAtOnce) {
  const ServeOutcome outcome = Serve("GET", "/books/_search?q=body:quick");
  ASSERT_EQ(outcome.work, nullptr);
  EXPECT_EQ(Json::parse(outcome.response.body)["hits"]["hits"].size(), 10u);
  for (const char* url : {"/", "/books", "/_cat/indices", "/_count", "/books/_mapping"}) {
    EXPECT_FALSE(IsDeferred("GET", url)) << url;
  }
  // What is refused costs nothing.
  EXPECT_FALSE(IsDeferred("GET", "/_nope"));
  EXPECT_FALSE(IsDeferred("GET", "/books/_search?unknown=1"));
  EXPECT_EQ(metrics_.events(ServerEvent::kHeavy), 0u);
}

TEST_F(ElasticsearchServiceTest, DefersWhatMayCostMuch) {
  EXPECT_TRUE(IsDeferred("GET", "/books/_doc/b1"));
  EXPECT_TRUE(IsDeferred("POST", "/_mget", R"({"docs": []})"));
  EXPECT_TRUE(IsDeferred("POST", "/_msearch", "{}\n{}\n"));
  EXPECT_TRUE(IsDeferred("GET", "/books/_search?size=1000"));
  EXPECT_TRUE(IsDeferred("GET", "/books/_search?scroll=1m"));
  EXPECT_TRUE(IsDeferred("GET", "/books/_search?explain=true"));
  EXPECT_TRUE(IsDeferred("GET", "/books/_search?q=body:quik~1"));
  EXPECT_TRUE(IsDeferred("GET", "/books/_count?q=body:quik~1"));
  EXPECT_TRUE(IsDeferred("GET", "/_analyze", std::string(100'000, ' ')));
  EXPECT_EQ(metrics_.events(ServerEvent::kHeavy), 9u);
}

TEST_F(ElasticsearchServiceTest, DefersByTheCostOfTheQuery) {
  ElasticsearchService service({{}, std::chrono::seconds(20), 0}, metrics_, {});
  const std::string body = R"({"query": {"match": {"body": "quick fox"}}})";
  const ServeOutcome outcome =
      service.Serve(RequestOf("POST", "/books/_search", body), {0, ServerClock::now(), false},
                    std::make_shared<const ServedIndexes>(Indexes()));
  ASSERT_NE(outcome.work, nullptr);
  EXPECT_EQ(Json::parse(outcome.work().body)["hits"],
            Json::parse(Serve("POST", "/books/_search", body).response.body)["hits"]);
}

TEST_F(ElasticsearchServiceTest, AnswersDeferredRequestsAsTheApiDoes) {
  for (const char* url : {"/books/_doc/b1", "/books/_search?q=body:qui*&size=2",
                          "/books/_search?size=101&from=1", "/books/_source/nobody"}) {
    const ServeOutcome outcome = Serve("GET", url);
    ASSERT_NE(outcome.work, nullptr) << url;
    Json answer = Json::parse(outcome.work().body);
    Json expected = Ask("GET", url);
    answer.erase("took");
    expected.erase("took");
    EXPECT_EQ(answer, expected);
  }
}

TEST_F(ElasticsearchServiceTest, CountsTheTimeFromTheArrival) {
  const ServeOutcome outcome =
      Serve(RequestOf("GET", "/books/_search", ""), ServerClock::now() - std::chrono::minutes(1));
  ASSERT_EQ(outcome.work, nullptr);
  EXPECT_EQ(Json::parse(outcome.response.body)["timed_out"], true);
}

TEST_F(ElasticsearchServiceTest, CompressesWhereTheClientAsksForIt) {
  for (const char* url : {"/books/_search?size=30", "/books/_search?size=42&explain=true"}) {
    HttpRequest request = RequestOf("GET", url, "");
    request.headers = {{"accept-encoding", "gzip"}};
    const ServeOutcome outcome = Serve(request, ServerClock::now());
    const HttpResponse response = outcome.work ? outcome.work() : outcome.response;
    const std::pair<std::string, std::string> coding = {"Content-Encoding", "gzip"};
    EXPECT_EQ(std::count(response.headers.begin(), response.headers.end(), coding), 1) << url;
  }
}

TEST_F(ElasticsearchServiceTest, CountsTheStagesAndTheEndOfSearches) {
  const ElasticsearchService service({{}, std::chrono::seconds(20), 1000}, metrics_,
                                     SearchNotes(&metrics_, nullptr, {}));
  const auto indexes = std::make_shared<const ServedIndexes>(Indexes());
  const auto answer = [&](const std::string& url, ServerClock::time_point arrival) {
    const ServeOutcome outcome =
        service.Serve(RequestOf("GET", url, ""), {0, arrival, false}, indexes);
    if (outcome.work) outcome.work();
  };
  answer("/books/_search?q=body:quick", ServerClock::now());
  std::string text;
  metrics_.AppendTo(text);
  for (const char* stage : {"search", "encode"}) {
    EXPECT_NE(text.find(std::string("stage_seconds_count{stage=\"") + stage + "\"} 1\n"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(metrics_.events(ServerEvent::kDeadline), 0u);
  answer("/books/_search?q=body:quick&size=1000", ServerClock::now() - std::chrono::hours(1));
  EXPECT_EQ(metrics_.events(ServerEvent::kDeadline), 1u);
}

TEST_F(ElasticsearchServiceTest, LogsSlowSearches) {
  const TemporaryDirectory directory;
  const std::string path = directory / "slow";
  {
    const auto log = RequestLog::Open({"", path}).value();
    const ElasticsearchService service(
        {{}, std::chrono::seconds(20), 1000}, metrics_,
        SearchNotes(&metrics_, log.get(), std::chrono::microseconds(0)));
    const auto indexes = std::make_shared<const ServedIndexes>(Indexes());
    const RequestContext context{0, ServerClock::now(), false};
    service.Serve(RequestOf("POST", "/books/_search", R"({"query": {"term": {"body": "fox"}}})"),
                  context, indexes);
    service.Serve(RequestOf("GET", "/books/_mapping", ""), context, indexes);
  }
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const Json entry = Json::parse(line);
  EXPECT_EQ(entry["index"], "books");
  EXPECT_EQ(Json::parse(entry["query"].get<std::string>()),
            Json::parse(R"({"term": {"body": "fox"}})"));
  EXPECT_TRUE(entry.contains("plan"));
  EXPECT_FALSE(std::getline(file, line));
}

TEST_F(ElasticsearchServiceTest, AnswersSeveralThreadsAtOnce) {
  const std::string expected =
      Json::parse(Serve("GET", "/books/_search?q=quick").response.body)["hits"].dump();
  std::vector<std::thread> threads;
  std::vector<std::string> found(4);
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        const ServeOutcome page = Serve("GET", "/books/_search?scroll=1m&size=20");
        const std::string id = Json::parse(page.work().body)["_scroll_id"];
        Serve("GET", "/_search/scroll/" + id).work();
        Serve("DELETE", "/_search/scroll/" + id).work();
        Serve("GET", "/books/_doc/b" + std::to_string(round)).work();
        found[i] = Json::parse(Serve("GET", "/books/_search?q=quick").response.body)["hits"].dump();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& hits : found) EXPECT_EQ(hits, expected);
}

}  // namespace elasticsearch_service_test
}  // namespace pmdex
