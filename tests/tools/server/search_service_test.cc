#include "tools/server/search_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/server/served_library.h"
#include "tools/server/http/content_coding.h"

namespace pmdex {
namespace search_service_test {

using nlohmann::json;
using testing::HasSubstr;

class SearchServiceTest : public testing::Test {
 protected:
  void Start(ServedIndexes indexes) {
    catalog_ = IndexCatalog::Of(std::move(indexes));
    service_ = std::make_unique<SearchService>(options_, *catalog_, nullptr);
  }
  HttpResponse Ask(const HttpRequest& request, bool overloaded = false) {
    return service_->Serve(request, {0, ServerClock::now(), overloaded}).response;
  }
  int Status(const std::string& method, std::vector<std::string> path) {
    HttpRequest request = GetRequest(std::move(path), {});
    request.method = method;
    return Ask(request).status;
  }

  SearchServiceOptions options_;
  std::unique_ptr<IndexCatalog> catalog_;
  std::unique_ptr<SearchService> service_;
};

TEST_F(SearchServiceTest, KnowsItsPathsAndTheirMethods) {
  Start({ServedLibrary("books", {"apple"})});
  EXPECT_EQ(Ask(GetRequest({"search"}, {{"q", "apple"}})).status, 200);
  EXPECT_EQ(Ask(GetRequest({"books", "search"}, {{"q", "apple"}})).status, 200);
  for (const char* path : {"stats", "metrics", "healthz", "readyz"}) {
    EXPECT_EQ(Status("GET", {path}), 200) << path;
    EXPECT_EQ(Status("HEAD", {path}), 200) << path;
    EXPECT_EQ(Status("POST", {path}), 405) << path;
  }
  EXPECT_EQ(Status("DELETE", {"search"}), 405);
  EXPECT_EQ(Status("GET", {"books", "stats"}), 200);
  EXPECT_EQ(Status("GET", {"other", "stats"}), 404);
  EXPECT_EQ(Status("GET", {"other", "search"}), 404);
  EXPECT_EQ(Status("GET", {"nothing"}), 404);
  EXPECT_EQ(Status("GET", {"books", "nothing"}), 404);
  const HttpResponse wrong = Ask(PostRequest({"stats"}, ""));
  EXPECT_THAT(wrong.headers,
              testing::Contains(std::pair<std::string, std::string>("Allow", "GET, HEAD")));
}

TEST_F(SearchServiceTest, RefusesWhatAPageOfAnotherSiteMayWrite) {
  Start({ServedLibrary("books", {"apple"})});
  const auto status = [&](const std::string& method, const std::string& origin) {
    HttpRequest request = GetRequest({"_bulk"}, {});
    request.method = method;
    request.headers = {{"host", "localhost:7700"}, {"origin", origin}};
    return Ask(request).status;
  };
  for (const char* origin : {"https://evil.example", "null", "http://localhost:7701", ""}) {
    EXPECT_EQ(status("POST", origin), 403) << origin;
    EXPECT_EQ(status("PUT", origin), 403) << origin;
    EXPECT_EQ(status("GET", origin), 405) << origin;
  }
  EXPECT_NE(status("POST", "http://localhost:7700"), 403);
  EXPECT_NE(status("POST", "https://localhost:7700"), 403) << "a proxy has the certificate";
}

TEST_F(SearchServiceTest, ListsTheNamesWhereARequestNamesNoneOfSeveral) {
  Start({ServedLibrary("books", {"apple"}), ServedLibrary("logs", {"pear"})});
  const HttpResponse response = Ask(GetRequest({"search"}, {{"q", "apple"}}));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("books, logs"));
  const auto found = json::parse(Ask(GetRequest({"logs", "search"}, {{"q", "pear"}})).body);
  EXPECT_EQ(found["hits"].size(), 1u);
}

TEST_F(SearchServiceTest, ShowsThePageToBrowsersOnly) {
  Start({ServedLibrary("books", {"apple"})});
  HttpRequest request = GetRequest({});
  request.headers.emplace_back("accept", "text/html,*/*");
  EXPECT_EQ(Ask(request).content_type, "text/html; charset=utf-8");
}

TEST_F(SearchServiceTest, WantsATokenForAllButItsHealth) {
  options_.tokens = AccessTokens({"0123456789abcdef"});
  Start({ServedLibrary("books", {"apple"})});
  EXPECT_EQ(Status("GET", {"stats"}), 401);
  EXPECT_EQ(Status("GET", {"metrics"}), 401);
  EXPECT_EQ(Status("GET", {"nothing"}), 401);
  EXPECT_EQ(Status("GET", {"healthz"}), 200);
  EXPECT_EQ(Status("GET", {"readyz"}), 200);
  HttpRequest request = GetRequest({"stats"});
  request.headers.emplace_back("authorization", "Bearer 0123456789abcdef");
  EXPECT_EQ(Ask(request).status, 200);
  EXPECT_EQ(service_->metrics().events(ServerEvent::kUnauthorized), 3u);
}

TEST_F(SearchServiceTest, ShedsSearchesButNotItsHealthWhenRequestsWaitTooLong) {
  Start({ServedLibrary("books", {"apple"})});
  const HttpResponse shed = Ask(GetRequest({"search"}, {{"q", "apple"}}), /*overloaded=*/true);
  EXPECT_EQ(shed.status, 503);
  ASSERT_EQ(shed.headers.size(), 1u);
  EXPECT_EQ(shed.headers[0].first, "Retry-After");
  EXPECT_EQ(Ask(GetRequest({"healthz"}), true).status, 200);
  EXPECT_EQ(Ask(GetRequest({"metrics"}), true).status, 200);
  EXPECT_EQ(service_->metrics().events(ServerEvent::kShed), 1u);
}

TEST_F(SearchServiceTest, SendsPathsOfElasticsearchToItsApi) {
  Start({ServedLibrary("books", {"apple", "apple pie"})});
  const auto found = json::parse(Ask(GetRequest({"books", "_search"}, {{"q", "apple"}})).body);
  EXPECT_EQ(found["hits"]["total"]["value"], 2);
  EXPECT_EQ(json::parse(Ask(GetRequest({})).body)["tagline"], "You Know, for Search");
  EXPECT_EQ(Status("HEAD", {"books"}), 200);
  EXPECT_EQ(Status("HEAD", {"other"}), 404);
  EXPECT_EQ(Status("PUT", {"books"}), 403);
  EXPECT_EQ(Status("DELETE", {"books", "_doc", "1"}), 403);
  EXPECT_EQ(Status("POST", {"documents"}), 403);
  const auto refused = json::parse(Ask(GetRequest({"other", "_count"})).body);
  EXPECT_EQ(refused["error"]["type"], "index_not_found_exception");
  options_.tokens = AccessTokens({"0123456789abcdef"});
  Start({ServedLibrary("books", {"apple"})});
  EXPECT_EQ(Status("GET", {"_search"}), 401);
}

TEST_F(SearchServiceTest, IsNotReadyWhileItDrains) {
  Start({ServedLibrary("books", {"apple"})});
  service_->BeginDrain();
  EXPECT_EQ(Status("GET", {"readyz"}), 503);
  EXPECT_EQ(Status("GET", {"healthz"}), 200);
}

TEST_F(SearchServiceTest, CountsRequestsByEndpointAndStatus) {
  Start({ServedLibrary("books", {"apple"})});
  const auto now = ServerClock::now();
  service_->Finished({"GET", "/books/search?q=/stats", 200, 1, now, now});
  service_->Finished({"GET", "/healthz", 200, 1, now, now});
  service_->Finished({"", "", 400, 1, now, now});
  service_->Finished({"GET", "/books/_doc/a%2Fb?pretty", 404, 1, now, now});
  service_->Finished({"POST", "/_search/scroll", 200, 1, now, now});
  const std::string text = Ask(GetRequest({"metrics"})).body;
  EXPECT_THAT(text, HasSubstr("{endpoint=\"search\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{endpoint=\"health\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(",code=\"400\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{endpoint=\"elasticsearch\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{endpoint=\"elasticsearch\",code=\"200\"} 1\n"));
}

// Decoding and parsing a large body are work for the pool.
TEST_F(SearchServiceTest, ReadsLargeBodiesOutsideTheLoop) {
  Start({ServedLibrary("books", {"apple"})});
  const auto answer_of_work = [&](HttpRequest request) {
    const ServeOutcome outcome =
        service_->Serve(std::move(request), {0, ServerClock::now(), false});
    EXPECT_NE(outcome.work, nullptr);
    EXPECT_NE(outcome.deadline, ServerClock::time_point::max());
    return outcome.work == nullptr ? HttpResponse() : outcome.work();
  };
  const std::string body = "{\"q\": \"apple\"" + std::string(300'000, ' ') + "}";
  EXPECT_THAT(answer_of_work(PostRequest({"search"}, body)).body, HasSubstr("\"value\":1"));
  HttpResponse packed;
  packed.body = body;
  CompressResponse("gzip", packed);
  HttpRequest coded = PostRequest({"search"}, packed.body);
  coded.headers.emplace_back("content-encoding", "gzip");
  coded.coded_limit = body.size();
  EXPECT_THAT(answer_of_work(coded).body, HasSubstr("\"value\":1"));
  coded.coded_limit = body.size() - 1;
  EXPECT_EQ(answer_of_work(coded).status, 413);
  coded.body.resize(coded.body.size() / 2);
  coded.coded_limit = body.size();
  EXPECT_EQ(answer_of_work(coded).status, 400);
  const HttpResponse deep = answer_of_work(PostRequest({"search"}, std::string(15'000'000, '[')));
  EXPECT_EQ(deep.status, 400);
  EXPECT_THAT(deep.body, HasSubstr("nests deeper"));
}

}  // namespace search_service_test
}  // namespace pmdex
