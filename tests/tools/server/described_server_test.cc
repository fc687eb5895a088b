// The documents that the server gives to programs: the API as OpenAPI 3, and metrics for
// Prometheus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/column_index.h"
#include "tests/tools/server/search_server.h"
#include "tools/server/elasticsearch/api_description.h"
#include "tools/server/own_paths.h"
#include "tools/server/search_service.h"
#include "tools/server/static_files.h"

namespace pmdex {
namespace described_server_test {

using nlohmann::json;
using testing::HasSubstr;

const std::vector<std::string>& Bodies() {
  static const std::vector<std::string> bodies = {"the quick brown fox", "a brown bear",
                                                  "quick quick rabbit", "lazy dog"};
  return bodies;
}

TEST(DescribedServer, ShowsMetricsThatPrometheusCanRead) {
  SearchServer server(Bodies());
  HttpClient client = server.Connect();
  client.Get("/search?q=brown");
  const auto reply = client.Get("/metrics");
  EXPECT_THAT(reply->head, HasSubstr("content-type: text/plain; version=0.0.4"));
  std::set<std::string> typed;
  std::istringstream lines(reply->body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      const std::string name = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(typed.insert(name).second) << name << " twice";
    } else if (!line.starts_with('#')) {
      std::string name = line.substr(0, line.find_first_of("{ "));
      for (const char* ending : {"_bucket", "_sum", "_count"}) {
        if (name.ends_with(ending)) name.resize(name.size() - std::string(ending).size());
      }
      EXPECT_TRUE(typed.contains(name)) << line;
      EXPECT_NO_THROW((void)std::stod(line.substr(line.rfind(' ')))) << line;
    }
  }
  for (const char* metric :
       {"pmdex_http_requests_total{endpoint=\"search\",code=\"200\"} 1\n",
        "pmdex_index_generation{index=\"docs\"} ", "pmdex_index_bytes{index=\"docs\",tier=",
        "pmdex_request_stage_seconds_bucket{stage=\"search\",le=\"+Inf\"} 1\n",
        "pmdex_heavy_queue_depth 0\n", "pmdex_connections 1\n", "pmdex_shed_requests_total 0\n"}) {
    EXPECT_THAT(reply->body, HasSubstr(metric));
  }
}

// What stands before the value of each line.
std::set<std::string> SeriesOf(const std::string& metrics) {
  std::set<std::string> series;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) series.insert(line.substr(0, line.rfind(' ')));
  }
  return series;
}

TEST(DescribedServer, HasNoMetricThatDependsOnWhatClientsWrite) {
  SearchServer server(ServedSnapshot("docs", MakeColumnIndex(7, {50, 20}).snapshot));
  HttpClient client = server.Connect();
  const auto ask = [&](const std::string& word) {
    for (const std::string& target :
         {"/search?q=" + word, "/search?q=all&facet=level&sort=n&fields_out=" + word,
          std::string("/search?q=all&facet=level:terms:7&sort=n"), "/search?q=all&" + word + "=1",
          "/search?q=level:" + word + "&facet=" + word, "/" + word + "/search?q=all",
          "/" + word + "/stats", "/docs/_doc/" + word, "/" + word, "/docs/_" + word}) {
      client.Get(target);
    }
    client.Post("/search", R"({"query": ")" + word + R"(", "facet": ["level", "tags"]})");
    return SeriesOf(client.Get("/metrics")->body);
  };
  ask("first");
  const std::set<std::string> before = ask("first");
  for (int i = 0; i < 30; ++i) {
    const std::set<std::string> after = ask("word" + std::to_string(i));
    ASSERT_EQ(after, before);
  }
  for (const std::string& series : before) EXPECT_THAT(series, testing::Not(HasSubstr("first")));
}

// Checks a document against a schema of openapi.json: the types, the required keys, and what is
// inside.
void ExpectFits(const json& value, json schema, const json& document, const std::string& where) {
  if (schema.contains("$ref")) {
    schema = document.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
  }
  if (schema.contains("oneOf")) schema = schema["oneOf"][0];
  if (schema.contains("$ref")) return ExpectFits(value, schema, document, where);
  const std::string type = schema.value("type", "object");
  const bool fits =
      (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
      (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
      (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
  EXPECT_TRUE(fits) << where << ": " << value.dump();
  const json required = schema.value("required", json::array());
  for (const auto& key : required) {
    EXPECT_TRUE(value.contains(key)) << where << " has no " << key;
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& [key, inner] : properties.items()) {
    if (value.contains(key)) ExpectFits(value[key], inner, document, where + "." + key);
  }
  if (schema.contains("items")) {
    for (const json& item : value) ExpectFits(item, schema["items"], document, where + "[]");
  }
}

TEST(DescribedServer, DoesWhatItsOpenApiDocumentSays) {
  SearchServer server(ServedSnapshot("docs", MakeColumnIndex(7, {50, 20}).snapshot));
  HttpClient client = server.Connect();
  const json document = json::parse(client.Get("/openapi.json")->body);
  EXPECT_EQ(document, json::parse(DescribeApi(kOpenApiJson)));
  for (const std::string_view part : kOwnPaths) {
    EXPECT_TRUE(document["paths"].contains("/" + std::string(part))) << part;
  }
  EXPECT_EQ(document["info"]["version"], PMDEX_VERSION);
  for (const auto& [path, operations] : document["paths"].items()) {
    std::string target = path;
    if (const size_t at = target.find("{index}"); at != target.npos) target.replace(at, 7, "docs");
    // serve_writing_test.cc and elasticsearch/api_description_test.cc have the others.
    if (!operations.contains("get") || !json::parse(kOpenApiJson)["paths"].contains(path)) continue;
    const json& get = operations["get"];
    for (json parameter : get.value("parameters", json::array())) {
      parameter = document.at(json::json_pointer(parameter["$ref"].get<std::string>().substr(1)));
      if (parameter["in"] != "query") continue;
      const std::string name = parameter["name"];
      const json& schema = parameter["schema"];
      const std::string value = name == "timeout_ms"          ? "60000"
                                : name == "q"                 ? "all+w2"
                                : name == "sort"              ? "level,n:desc,_doc"
                                : name == "after"             ? R"(["a",null,7])"
                                : name == "facet"             ? "level%3En:stats"
                                : name == "fields_out"        ? "level,tags"
                                : schema.contains("enum")     ? schema["enum"][0]
                                : schema["type"] == "boolean" ? "true"
                                                              : "9";
      target += (target.find('?') == target.npos ? "?" : "&") + name + "=" + value;
    }
    const auto reply = client.Get(target);
    EXPECT_EQ(reply->status, 200) << target << reply->body;
    const json& content = get["responses"]["200"]["content"];
    if (!content.contains("application/json")) continue;
    ExpectFits(json::parse(reply->body), content["application/json"]["schema"], document, target);
  }
  EXPECT_TRUE(document["components"]["schemas"]["Query"]["properties"].contains("facet"));
  ExpectFits(json::parse(client.Get("/search?q=(")->body), {{"$ref", "#/components/schemas/Error"}},
             document, "error");
  ExpectFits(json::parse(client.Post("/search", R"({"queries":["all"]})")->body),
             {{"$ref", "#/components/schemas/BatchResult"}}, document, "batch");
}

}  // namespace described_server_test
}  // namespace pmdex
