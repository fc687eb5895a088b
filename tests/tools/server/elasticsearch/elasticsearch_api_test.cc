#include "tools/server/elasticsearch/elasticsearch_api.h"

#include <algorithm>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tools/server/elasticsearch/api_table.h"

namespace pmdex {
namespace elasticsearch_api_test {

class ElasticsearchApiTest : public ElasticsearchFixture {};

// A request that the endpoint knows, as far as its path goes.
std::string UrlOf(const ApiEndpoint& endpoint) {
  std::string url(endpoint.path);
  const std::pair<const char*, const char*> kParts[] = {
      {"{index}", "books"}, {"{id}", "b1"}, {"{fields}", "title"}, {"{scroll_id}", "none"}};
  for (const auto& [name, value] : kParts) {
    const size_t at = url.find(name);
    if (at != url.npos) url.replace(at, std::string(name).size(), value);
  }
  return url;
}

std::vector<std::string> Words(std::string_view words) {
  std::stringstream stream{std::string(words)};
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

// The methods of all endpoints with this path.
std::string MethodsOf(std::string_view path) {
  std::string methods;
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    if (endpoint.path == path) methods += std::string(endpoint.methods) + " ";
  }
  return methods;
}

TEST_F(ElasticsearchApiTest, RefusesEveryMethodThatTheTableDoesNotHave) {
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"}) {
      const HttpResponse response = Send(method, UrlOf(endpoint));
      if (HasWord(MethodsOf(endpoint.path), method)) {
        EXPECT_NE(response.status, 405) << method << " " << endpoint.path;
        continue;
      }
      EXPECT_EQ(response.status, 405) << method << " " << endpoint.path;
      if (method == std::string("HEAD")) continue;
      const Json body = Json::parse(response.body);
      EXPECT_EQ(body["status"], 405);
      EXPECT_NE(body["error"].get<std::string>().find("Incorrect HTTP method for uri"),
                std::string::npos);
    }
  }
}

TEST_F(ElasticsearchApiTest, NamesAParameterThatTheTableDoesNotHave) {
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    for (const std::string& method : Words(endpoint.methods)) {
      if (method == "HEAD") continue;
      const HttpResponse response = Send(method, UrlOf(endpoint) + "?not_known=1&nor_this=2");
      ASSERT_EQ(response.status, 400) << method << " " << endpoint.path;
      const std::string reason = Json::parse(response.body)["error"]["reason"];
      EXPECT_NE(reason.find("unrecognized parameters: [not_known], [nor_this]"), reason.npos);
    }
  }
}

TEST_F(ElasticsearchApiTest, TakesEveryParameterOfTheTable) {
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    for (const std::string& method : Words(endpoint.methods)) {
      if (method == "HEAD") continue;
      std::string words(endpoint.parameters);
      for (const std::string& name : Words(words + " " + std::string(kCommonParameters))) {
        const HttpResponse response = Send(method, UrlOf(endpoint) + "?" + name + "=");
        EXPECT_EQ(response.body.find("unrecognized parameter"), response.body.npos)
            << endpoint.path << " " << name << ": " << response.body;
      }
    }
  }
}

TEST_F(ElasticsearchApiTest, NamesAKeyThatTheTableDoesNotHave) {
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    if (endpoint.body_keys.empty() || endpoint.body_keys == kAnyBody) continue;
    if (endpoint.kind == EndpointKind::kMultiSearch) continue;
    const std::string method = Words(endpoint.methods).back();
    const HttpResponse response = Send(method, UrlOf(endpoint), R"({"not_known": 1})");
    ASSERT_EQ(response.status, 400) << endpoint.path;
    const std::string reason = Json::parse(response.body)["error"]["reason"];
    EXPECT_NE(reason.find("[not_known]"), reason.npos) << reason;
  }
}

TEST_F(ElasticsearchApiTest, NamesAnOptionThatAQueryDoesNotHave) {
  for (const QueryOptions& query : KnownQueries()) {
    const std::string kind(query.query);
    const bool has_field = HasWord(
        "match match_phrase match_phrase_prefix match_bool_prefix term "
        "prefix wildcard regexp fuzzy range",
        kind);
    const std::string options = R"({"not_known": 1})";
    const std::string body = "{\"query\": {\"" + kind +
                             "\": " + (has_field ? "{\"title\": " + options + "}" : options) + "}}";
    const HttpResponse response = Send("POST", "/books/_search", body);
    ASSERT_EQ(response.status, 400) << body;
    const std::string reason = Json::parse(response.body)["error"]["reason"];
    EXPECT_NE(reason.find("[" + kind + "]"), reason.npos) << reason;
    EXPECT_NE(reason.find("[not_known]"), reason.npos) << reason;
  }
}

TEST_F(ElasticsearchApiTest, SaysThatItIsElasticsearchInTheMediaTypeOfTheClient) {
  HttpRequest request = RequestOf("GET", "/", "");
  EXPECT_EQ(Send(request).content_type, "application/json");
  request.headers = {{"accept", "application/vnd.elasticsearch+json; compatible-with=8"}};
  const HttpResponse response = Send(request);
  EXPECT_EQ(response.content_type, "application/vnd.elasticsearch+json;compatible-with=8");
  const std::pair<std::string, std::string> product = {"X-Elastic-Product", "Elasticsearch"};
  EXPECT_EQ(std::count(response.headers.begin(), response.headers.end(), product), 1);
}

TEST_F(ElasticsearchApiTest, HandlesWhatLooksLikeItsOwnPaths) {
  for (const char* url : {"/", "/_search", "/books", "/books/_search", "/_nope"}) {
    EXPECT_TRUE(api_.Handles(RequestOf("GET", url, ""))) << url;
  }
  EXPECT_FALSE(api_.Handles(RequestOf("GET", "/books/search", "")));
}

TEST_F(ElasticsearchApiTest, GivesTheSourceAsItStandsInTheFile) {
  std::ifstream file(kReferenceFolder + "books.jsonl");
  for (std::string line; std::getline(file, line);) {
    const std::string id = Json::parse(line)["id"];
    EXPECT_EQ(Send("GET", "/books/_source/" + id).body, line);
    const std::string found = Send("GET", "/books/_doc/" + id).body;
    EXPECT_NE(found.find("\"_source\":" + line + "}"), found.npos);
  }
}

TEST_F(ElasticsearchApiTest, IndentsWhenAskedTo) {
  const std::string body = Send("GET", "/books/_count?pretty").body;
  EXPECT_EQ(body.substr(0, 17), "{\n  \"count\" : 42,");
  EXPECT_EQ(body.back(), '\n');
  const std::string source = Send("GET", "/books/_source/b40?pretty=true").body;
  EXPECT_EQ(Json::parse(source), Ask("GET", "/books/_source/b40"));
}

TEST_F(ElasticsearchApiTest, RefusesABodyThatNestsTooDeepOrIsTooLong) {
  std::string body = R"({"query": )";
  for (int i = 0; i < 20'000; ++i) body += R"({"bool": {"must": )";
  body += R"({"match_all": {}})";
  for (int i = 0; i < 20'000; ++i) body += "}}";
  EXPECT_EQ(Send("POST", "/_search", body + "}").status, 400);
  EXPECT_EQ(Send("POST", "/_search", std::string(200'000, '[')).status, 400);
  const std::string words(20'000'000, 'a');
  EXPECT_EQ(Send("POST", "/_search", R"({"query": {"match": {"body": ")" + words + "\"}}}").status,
            413);
}

TEST_F(ElasticsearchApiTest, RefusesAQueryOfTooManyWords) {
  std::string words;
  for (int i = 0; i < 5000; ++i) words += " w" + std::to_string(i);
  const Json answer =
      Ask("POST", "/books/_search", R"({"query": {"match": {"body": ")" + words + "\"}}}");
  EXPECT_EQ(answer["status"], 400);
  EXPECT_EQ(answer["error"]["root_cause"][0]["type"], "too_many_clauses");
}

TEST_F(ElasticsearchApiTest, TellsTheStatisticsOfTheOneShardOfAnIndex) {
  const Json shards = Ask("GET", "/_stats?level=shards")["indices"]["books"]["shards"];
  ASSERT_EQ(shards.size(), 1u);
  EXPECT_EQ(shards["0"][0]["routing"]["state"], "STARTED");
  EXPECT_EQ(shards["0"][0]["docs"]["count"], 42);
  EXPECT_FALSE(Ask("GET", "/_stats?level=indices")["indices"]["books"].contains("shards"));
  const Json cluster = Ask("GET", "/_stats?level=cluster");
  EXPECT_FALSE(cluster.contains("indices"));
  EXPECT_EQ(cluster["_all"]["total"]["docs"]["count"], 54);
}

TEST_F(ElasticsearchApiTest, AnswersInTimeWithWhatItHas) {
  const HttpResponse response =
      api_.Handle(RequestOf("GET", "/books/_search", ""), Indexes(), std::chrono::milliseconds(0));
  const Json answer = Json::parse(response.body);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(answer["timed_out"], true);
}

TEST_F(ElasticsearchApiTest, TakesNoTimeAsNoLimit) {
  for (const char* body :
       {R"({"timeout": "0s"})", R"({"timeout": "0ms"})", R"({"timeout": "-1"})"}) {
    const Json answer = Ask("POST", "/books/_search", body);
    EXPECT_EQ(answer["timed_out"], false) << body;
    EXPECT_EQ(answer["hits"]["hits"].size(), 10u) << body;
  }
}

// A server that writes nothing answers as an index does that is read-only.
TEST_F(ElasticsearchApiTest, RefusesToWriteWhereNothingIsWritten) {
  for (const char* url : {"/books/_doc/1", "/books/_create/1"}) {
    EXPECT_EQ(Send("PUT", url, R"({"title": "x"})").status, 403) << url;
  }
  EXPECT_EQ(Send("PUT", "/new").status, 403);
  EXPECT_EQ(Send("DELETE", "/books").status, 403);
  EXPECT_EQ(Send("POST", "/books/_bulk", "{\"index\":{}}\n{}\n").status, 403);
  EXPECT_EQ(Send("DELETE", "/books/_doc/b1").status, 403);
  EXPECT_EQ(Ask("DELETE", "/books/_doc/b1")["error"]["type"], "cluster_block_exception");
  EXPECT_EQ(Send("POST", "/books/_refresh").status, 200);  // searches find everything
}

TEST_F(ElasticsearchApiTest, RefusesAnswersOfTooManyBytes) {
  ElasticsearchLimits limits;
  limits.max_answer_bytes = 1000;
  const ElasticsearchApi api(limits);
  const auto answer = [&](const std::string& method, const std::string& url,
                          const std::string& body) {
    const HttpResponse response =
        api.Handle(RequestOf(method, url, body), Indexes(), std::chrono::seconds(20));
    return std::pair(response.status, Json::parse(response.body));
  };
  const auto [status, search] = answer("GET", "/books/_search?size=20", "");
  EXPECT_EQ(status, 429);
  EXPECT_EQ(search["error"]["type"], "circuit_breaking_exception");
  EXPECT_EQ(answer("GET", "/books/_search?size=20&_source=false", "").first, 200);
  EXPECT_EQ(answer("GET", "/books/_doc/b1", "").first, 200);
  std::string ids = R"({"ids": ["b1")";
  for (int i = 0; i < 100; ++i) ids += R"(, "b1")";
  EXPECT_EQ(answer("POST", "/books/_mget", ids + "]}").first, 429);
  const std::string one = "{}\n{\"size\": 1}\n";
  std::string searches;
  for (int i = 0; i < 30; ++i) searches += one;
  const auto several = answer("POST", "/books/_msearch", searches);
  EXPECT_EQ(several.first, 200);
  EXPECT_EQ(several.second["responses"][0]["status"], 200);
  EXPECT_EQ(several.second["responses"][29]["status"], 429);
}

// A header may be empty, a search not.
TEST_F(ElasticsearchApiTest, RefusesAnEmptyLineAsASearch) {
  EXPECT_EQ(Send("POST", "/books/_msearch", "{}\n{\"size\":0}\n\n{}\n").status, 200);
  for (const char* body : {"{}\n\n", "{}\n \n", "{}\n{\"size\":0}\n{}\n\n"}) {
    const HttpResponse response = Send("POST", "/books/_msearch", body);
    EXPECT_EQ(response.status, 400) << body;
    const Json error = Json::parse(response.body)["error"];
    EXPECT_EQ(error["type"], "parsing_exception");
    EXPECT_EQ(error["reason"], "Expected [START_OBJECT] but found [null]");
  }
}

TEST_F(ElasticsearchApiTest, FindsNothingByABadExpressionThatIsLenient) {
  const auto query = [](const std::string& text, const std::string& options) {
    return R"({"query_string": {"query": ")" + text + R"(", "default_field": "title")" + options +
           "}}";
  };
  const std::string lenient = R"(, "lenient": true)";
  EXPECT_EQ(Ids(query("/[/", lenient)).size(), 0u);
  EXPECT_EQ(Ids(query("/[/ OR dog", lenient)), Ids(query("dog", "")));
  EXPECT_EQ(Ids(query("+/[/ +dog", lenient)).size(), 0u);
  const std::string strict = "{\"query\": " + query("/[/", "") + "}";
  EXPECT_EQ(Send("POST", "/books/_search", strict).status, 400);
}

TEST_F(ElasticsearchApiTest, TakesTheWholePartOfAnEditDistance) {
  const auto query = [](const std::string& text) {
    return R"({"query_string": {"query": ")" + text + R"(", "default_field": "title"}})";
  };
  EXPECT_FALSE(Ids(query("brow~1")).empty());
  EXPECT_EQ(Ids(query("brow~1.9")), Ids(query("brow~1")));
  EXPECT_EQ(Ids(query("brow~0.5")).size(), 0u);
  EXPECT_EQ(Ids(query("brown~0.5")), Ids(query("brown~0")));
  EXPECT_EQ(Ids(query("brow~7")), Ids(query("brow~2")));
}

TEST_F(ElasticsearchApiTest, ANameOfSeveralClausesIsListedOnce) {
  const Json hits = Ask("POST", "/books/_search", R"({"query": {"bool": {"should": [
      {"match": {"body": {"query": "quick", "_name": "A"}}},
      {"match": {"body": {"query": "fox", "_name": "A"}}},
      {"match": {"body": {"query": "quick fox", "_name": "B"}}}]}}})")["hits"]["hits"];
  ASSERT_FALSE(hits.empty());
  size_t both = 0;
  for (const Json& hit : hits) {
    const Json& names = hit["matched_queries"];
    EXPECT_EQ(std::count(names.begin(), names.end(), "A"), 1) << names.dump();
    both += names.size() == 2 ? 1 : 0;
  }
  EXPECT_GT(both, 0u);
}

TEST_F(ElasticsearchApiTest, AnEmptyLineMayEndAMultiSearch) {
  const std::string search = "{\"index\": \"books\"}\n{\"size\": 0}\n";
  for (const char* end : {"", "\n", "  \n"}) {
    const Json answer = Ask("POST", "/_msearch", search + end);
    ASSERT_TRUE(answer.contains("responses")) << answer.dump();
    EXPECT_EQ(answer["responses"].size(), 1u);
  }
  EXPECT_EQ(Send("POST", "/_msearch", search + "\n\n").status, 400);
  EXPECT_EQ(Send("POST", "/_msearch", search + "{}\n").status, 400);
}

TEST_F(ElasticsearchApiTest, RefusesWhatItWouldIgnore) {
  const auto status = [&](const std::string& body) {
    return Send("POST", "/books/_search", body).status;
  };
  const std::string multi = R"({"query": {"multi_match": {"query": "quick", "fields": ["body"],)";
  EXPECT_EQ(status(multi + R"("fuzziness": 1}}})"), 200);
  EXPECT_EQ(status(multi + R"("fuzziness": 1, "type": "phrase"}}})"), 400);
  EXPECT_EQ(status(multi + R"("fuzziness": 1, "type": "phrase_prefix"}}})"), 400);
  EXPECT_EQ(status(R"({"_source": {"includes": 5}})"), 400);
  EXPECT_EQ(status(R"({"_source": {"includes": "title"}})"), 200);
  EXPECT_EQ(Send("GET", "/books/_search?preference=_foo").status, 400);
  EXPECT_EQ(Send("GET", "/books/_search?preference=_local").status, 200);
  EXPECT_EQ(Send("GET", "/books/_search?preference=_shards:0").status, 200);
  EXPECT_EQ(Send("GET", "/books/_search?preference=mine").status, 200);
  EXPECT_EQ(Send("POST", "/_msearch?rest_total_hits_as_int=true",
                 "{\"index\": \"books\"}\n{\"track_total_hits\": 5}\n")
                .status,
            400);
}

TEST_F(ElasticsearchApiTest, HeadHasTheLengthOfTheBody) {
  EXPECT_EQ(Send("HEAD", "/books/_doc/b3").body, Send("GET", "/books/_doc/b3").body);
}

}  // namespace elasticsearch_api_test
}  // namespace pmdex
