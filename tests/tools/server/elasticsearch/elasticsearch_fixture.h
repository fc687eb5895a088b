// Two indexes, books and logs, of the documents in reference/, and requests to them as a client
// would write them.
#pragma once

#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/ingest/ingest.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "tools/server/elasticsearch/elasticsearch_api.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

inline const std::string kReferenceFolder =
    std::string(PMDEX_SOURCE_DIR) + "/tests/tools/server/elasticsearch/reference/";

// The index of a file of JSON lines. fields: those to index; none stands for all of them.
inline std::shared_ptr<const ServedIndex> IndexOfFile(const std::string& name,
                                                      const std::string& path,
                                                      const IndexSettings& settings,
                                                      const std::vector<std::string>& fields = {},
                                                      const FieldSpecs& schema = {}) {
  const std::unique_ptr<Directory> directory = NewDramDirectory("elasticsearch-test");
  IngestOptions options;
  options.inputs = {path};
  options.format = InputFormat::kJsonl;
  options.settings = settings;
  options.fields = fields;
  options.schema = schema;
  auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, settings);
  EXPECT_TRUE(writer.ok()) << writer.status();
  const auto report = Ingest(options, **writer, nullptr);
  EXPECT_TRUE(report.ok()) << report.status();
  auto snapshot = Snapshot::Open(*directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  return std::make_shared<const ServedIndex>(
      ServedIndex{name, "memory", std::make_shared<const Searcher>(*snapshot)});
}

// The request of a method, a URL and a body.
inline HttpRequest RequestOf(std::string_view method, std::string_view url, std::string_view body) {
  const auto decode = [](std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%') {
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
      } else {
        out += text[i] == '+' ? ' ' : text[i];
      }
    }
    return out;
  };
  const auto split = [](std::string_view text, char at) {
    std::vector<std::string> parts;
    std::stringstream stream{std::string(text)};
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
  };
  HttpRequest request;
  request.method = method;
  request.body = body;
  if (!body.empty()) request.headers.emplace_back("content-type", "application/json");
  const size_t mark = url.find('?');
  for (const std::string& part : split(url.substr(1, mark - (mark == url.npos ? 0 : 1)), '/')) {
    request.path.push_back(decode(part));
  }
  if (mark == url.npos) return request;
  for (const std::string& pair : split(url.substr(mark + 1), '&')) {
    const size_t equal = pair.find('=');
    const std::string value = equal == pair.npos ? "" : pair.substr(equal + 1);
    request.parameters.emplace_back(decode(pair.substr(0, equal)), decode(value));
  }
  return request;
}

class ElasticsearchFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    IndexSettings settings;
    settings.store_text = true;
    // The mapping of the real node has no other fields (reference/record_answers).
    const std::vector<std::string> fields = {"title",       "body",    "tags", "author.name",
                                             "author.city", "message", "level"};
    Indexes() = {IndexOfFile("books", kReferenceFolder + "books.jsonl", settings, fields),
                 IndexOfFile("logs", kReferenceFolder + "logs.jsonl", settings, fields)};
  }
  static void TearDownTestSuite() { Indexes().clear(); }

  static std::vector<std::shared_ptr<const ServedIndex>>& Indexes() {
    static std::vector<std::shared_ptr<const ServedIndex>> indexes;
    return indexes;
  }

  HttpResponse Send(const HttpRequest& request) const {
    return api_.Handle(request, Indexes(), std::chrono::seconds(20));
  }
  HttpResponse Send(std::string_view method, std::string_view url,
                    std::string_view body = "") const {
    return Send(RequestOf(method, url, body));
  }
  Json Ask(std::string_view method, std::string_view url, std::string_view body = "") const {
    return Json::parse(Send(method, url, body).body);
  }
  // The ids of the hits of a query on books.
  std::vector<std::string> Ids(const std::string& query) const {
    const Json answer = Ask("POST", "/books/_search", "{\"size\": 50, \"query\": " + query + "}");
    std::vector<std::string> ids;
    EXPECT_TRUE(answer.contains("hits")) << query << ": " << answer.dump();
    if (!answer.contains("hits")) return ids;
    for (const Json& hit : answer["hits"]["hits"]) ids.push_back(hit["_id"]);
    return ids;
  }

  ElasticsearchApi api_{ElasticsearchLimits{}};
};

}  // namespace pmdex
