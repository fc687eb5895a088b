#include "tools/server/elasticsearch/api_description.h"

#include <gmock/gmock.h>

#include <cctype>
#include <set>
#include <string>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tools/server/elasticsearch/api_route.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/static_files.h"

namespace pmdex {
namespace api_description_test {

class ApiDescriptionTest : public ElasticsearchFixture {
 protected:
  // A path that has something for each name in braces.
  static std::string UrlOf(std::string url) {
    const std::pair<const char*, const char*> kParts[] = {
        {"{index}", "books"}, {"{id}", "b1"}, {"{fields}", "title"}, {"{scroll_id}", "none"}};
    for (const auto& [name, value] : kParts) {
      if (const size_t at = url.find(name); at != url.npos) {
        url.replace(at, std::string(name).size(), value);
      }
    }
    return url;
  }
  static std::string InCapitals(std::string method) {
    for (char& c : method) c = static_cast<char>(std::toupper(c));
    return method;
  }
  static std::set<std::string> Words(std::string_view words) {
    std::stringstream stream{std::string(words)};
    return {std::istream_iterator<std::string>(stream), {}};
  }
  const Json& Resolve(const Json& reference) const {
    return document_.at(Json::json_pointer(reference["$ref"].get<std::string>().substr(1)));
  }

  const Json document_ = Json::parse(DescribeApi(kOpenApiJson));
  const Json own_ = Json::parse(kOpenApiJson)["paths"];
};

TEST_F(ApiDescriptionTest, DescribesWhatTheServerRoutesAndNothingElse) {
  std::set<std::string> routed;
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    for (const std::string& method : Words(endpoint.methods)) {
      routed.insert(method + " " + std::string(endpoint.path));
    }
  }
  std::set<std::string> described;
  for (const auto& [path, operations] : document_["paths"].items()) {
    if (own_.contains(path)) {
      EXPECT_EQ(operations, own_[path]) << path;
      continue;
    }
    for (const auto& [method, operation] : operations.items()) {
      described.insert(InCapitals(method) + " " + path);
      EXPECT_FALSE(operation["summary"].get<std::string>().empty()) << path;
      const HttpResponse response = Send(InCapitals(method), UrlOf(path));
      EXPECT_NE(response.status, 405) << method << " " << path;
      EXPECT_THAT(response.body, testing::Not(testing::HasSubstr("no handler found"))) << path;
    }
  }
  EXPECT_EQ(described, routed);
}

TEST_F(ApiDescriptionTest, HasTheParametersAndKeysOfEveryEndpoint) {
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    for (const std::string& method : Words(endpoint.methods)) {
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::tolower(c));
      const Json& operation = document_["paths"].at(std::string(endpoint.path)).at(name);
      std::set<std::string> parameters;
      std::string path_parts;
      for (const Json& reference : operation["parameters"]) {
        const Json& parameter = Resolve(reference);
        if (parameter["in"] == "query") {
          EXPECT_TRUE(parameters.insert(parameter["name"]).second) << parameter;
          continue;
        }
        path_parts += "{" + parameter["name"].get<std::string>() + "}";
        EXPECT_TRUE(parameter["required"].get<bool>());
        EXPECT_THAT(endpoint.path, testing::HasSubstr(path_parts.substr(path_parts.rfind('{'))));
      }
      EXPECT_EQ(std::count(path_parts.begin(), path_parts.end(), '{'),
                std::count(endpoint.path.begin(), endpoint.path.end(), '{'));
      std::set<std::string> known = Words(endpoint.parameters);
      known.merge(Words(kCommonParameters));
      EXPECT_EQ(parameters, known) << endpoint.path;
      const bool may_have_body =
          !endpoint.body_keys.empty() && (method == "POST" || method == "PUT");
      ASSERT_EQ(operation.contains("requestBody"), may_have_body) << method << " " << endpoint.path;
      if (!may_have_body) continue;
      const Json& content = operation["requestBody"]["content"];
      if (!content.contains("application/json") || endpoint.body_keys == kAnyBody) continue;
      std::set<std::string> keys;
      for (const auto& [key, schema] :
           content["application/json"]["schema"]["properties"].items()) {
        keys.insert(key);
      }
      EXPECT_EQ(keys, Words(endpoint.body_keys)) << endpoint.path;
    }
  }
}

// A value of another type is an error that shows it, so that the types are those that are read.
TEST_F(ApiDescriptionTest, HasTheTypesThatTheServerReads) {
  std::set<std::string> typed;
  std::set<std::string> refused;
  for (const auto& [path, operations] : document_["paths"].items()) {
    if (own_.contains(path)) continue;
    for (const auto& [method, operation] : operations.items()) {
      for (const Json& reference : operation["parameters"]) {
        const Json& parameter = Resolve(reference);
        const std::string name = parameter["name"];
        if (parameter["in"] != "query" || parameter["schema"]["type"] == "string") continue;
        typed.insert(name);
        const std::string url =
            UrlOf(path) + (name == "lenient" ? "?q=x&" : "?") + name + "=neither";
        const bool updates = path.find("_update") != path.npos;
        const HttpResponse response =
            Send(InCapitals(method), url, updates ? R"({"doc": {"title": "x"}})" : "");
        EXPECT_GE(response.status, 400) << method << " " << url;
        EXPECT_THAT(response.body, testing::Not(testing::HasSubstr("unrecognized"))) << url;
        if (response.body.find(name) != response.body.npos) refused.insert(name);
      }
    }
  }
  EXPECT_EQ(refused, typed);
}

TEST_F(ApiDescriptionTest, AnswersAsDescribed) {
  size_t asked = 0;
  for (const auto& [path, operations] : document_["paths"].items()) {
    if (own_.contains(path) || !operations.contains("get")) continue;
    const HttpResponse response = Send("GET", UrlOf(path));
    const Json& responses = operations["get"]["responses"];
    const bool is_done = responses.contains(std::to_string(response.status));
    const Json& described =
        is_done ? responses[std::to_string(response.status)] : Resolve(responses["default"]);
    const std::string type = response.content_type.substr(0, response.content_type.find(';'));
    ASSERT_TRUE(described["content"].contains(type)) << path << " " << type;
    const Json& schema = described["content"][type]["schema"];
    if (is_done) ++asked;
    if (type != "application/json") continue;
    const Json body = Json::parse(response.body);
    EXPECT_TRUE(body.is_object()) << path;
    if (is_done) continue;
    for (const Json& key : Resolve(schema)["required"]) {
      EXPECT_TRUE(body.contains(key.get<std::string>())) << path << response.body;
    }
  }
  EXPECT_GE(asked, 20u);
}

}  // namespace api_description_test
}  // namespace pmdex
