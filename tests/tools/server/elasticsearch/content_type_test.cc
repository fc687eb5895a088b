#include "tools/server/elasticsearch/content_type.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace content_type_test {

class ContentTypeTest : public ElasticsearchFixture {
 protected:
  static constexpr const char* kBody = R"({"query": {"match_all": {}}})";

  HttpResponse SendAs(const std::vector<std::string>& types, const std::string& url,
                      const std::string& body, const std::string& method = "POST") const {
    HttpRequest request = RequestOf(method, url, body);
    request.headers.clear();
    for (const std::string& type : types) request.headers.emplace_back("content-type", type);
    return Send(request);
  }
};

// The answers of an OpenSearch 3 node, and of Elasticsearch to its own types.
TEST_F(ContentTypeTest, TakesTheTypesOfJson) {
  for (const char* type :
       {"application/json", "application/json; charset=UTF-8", "application/json;foo=bar",
        "APPLICATION/JSON", "application/json;", "application/x-ndjson", "application/*",
        "application/vnd.opensearch+json", "application/vnd.elasticsearch+json",
        "application/vnd.elasticsearch+json; compatible-with=8",
        "application/vnd.elasticsearch+x-ndjson;compatible-with=9"}) {
    EXPECT_EQ(SendAs({type}, "/books/_search", kBody).status, 200) << type;
  }
}

TEST_F(ContentTypeTest, RefusesABodyOfAnotherType) {
  for (const std::string type :
       {"application/x-www-form-urlencoded", "text/plain", "text/json", "*/*", "application/jsonx",
        "multipart/form-data; boundary=x", "application/yaml", "application/cbor"}) {
    const HttpResponse response = SendAs({type}, "/books/_search", kBody);
    EXPECT_EQ(response.status, 406) << type;
    EXPECT_EQ(response.body,
              R"({"error":"Content-Type header [)" + type + R"(] is not supported","status":406})");
  }
  EXPECT_EQ(SendAs({}, "/books/_search", kBody).body,
            R"({"error":"Content-Type header [] is not supported","status":406})");
  // The type is looked at before parameters, indexes and whether there can be a body.
  for (const char* url :
       {"/books/_search?bad=1", "/none/_search", "/books/_doc/1", "/_bulk", "/_msearch"}) {
    EXPECT_EQ(SendAs({"text/plain"}, url, kBody).status, 406) << url;
  }
  EXPECT_EQ(SendAs({"text/plain"}, "/books/_mapping", kBody, "GET").status, 406);
  EXPECT_EQ(SendAs({"text/plain"}, "/books/_search", " ").status, 406);
}

TEST_F(ContentTypeTest, LooksAtNoTypeWhereThereIsNoBodyOrPath) {
  EXPECT_EQ(SendAs({"text/plain"}, "/books/_search", "").status, 200);
  EXPECT_EQ(SendAs({"text/plain"}, "/books/_search", kBody, "PATCH").status, 405);
  EXPECT_EQ(SendAs({"text/plain"}, "/books/_nope/1/2", kBody).status, 404);
}

TEST_F(ContentTypeTest, RefusesAHeaderThatIsNoType) {
  for (const std::string type : {"garbage", "a/b/c", "application/json, text/plain", "/", "a /b"}) {
    for (const char* body : {"", kBody}) {
      const HttpResponse response = SendAs({type}, "/books/_search", body);
      EXPECT_EQ(response.status, 400) << type;
      const Json error = Json::parse(response.body)["error"];
      EXPECT_EQ(error["type"], "content_type_header_exception");
      EXPECT_EQ(error["caused_by"]["reason"], "invalid Content-Type header [" + type + "]");
    }
  }
  const HttpResponse twice = SendAs({"a/b", "a/b"}, "/books/_mapping", "", "GET");
  EXPECT_EQ(twice.status, 400);
  EXPECT_EQ(Json::parse(twice.body)["error"]["root_cause"][0]["reason"],
            "java.lang.IllegalArgumentException: only one Content-Type header should be provided");
}

}  // namespace content_type_test
}  // namespace pmdex
