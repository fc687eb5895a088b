// A server that writes indexes below a temporary directory, without connections, and requests to it
// as a client would write them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tools/server/elasticsearch/elasticsearch_api.h"
#include "tools/server/index_catalog.h"
#include "tools/server/writing/writable_indexes.h"

namespace pmdex {

class WritingServer {
 public:
  explicit WritingServer(bool read_only = false, uint64_t merge_bytes_per_second = 0)
      : directory_(FastTemporaryParent()),
        read_only_(read_only),
        merge_bytes_per_second_(merge_bytes_per_second) {
    Start();
  }

  // Ends and starts the server again.
  void Restart() {
    Stop();
    Start();
  }
  void Stop() {
    api_.reset();
    indexes_.reset();
    catalog_.reset();
  }
  void Start() {
    catalog_ = IndexCatalog::Of({});
    auto indexes =
        WritableIndexes::Start({directory_.path(), read_only_, merge_bytes_per_second_}, *catalog_);
    ASSERT_TRUE(indexes.ok()) << indexes.status();
    indexes_ = *std::move(indexes);
    api_ = std::make_unique<ElasticsearchApi>(ElasticsearchLimits{}, SearchNotes(), indexes_.get());
  }

  HttpResponse Send(std::string_view method, std::string_view url, std::string_view body = "") {
    return api_->Handle(RequestOf(method, url, body), *catalog_->Current(),
                        std::chrono::seconds(60));
  }
  Json Ask(std::string_view method, std::string_view url, std::string_view body = "") {
    Json answer = Json::parse(Send(method, url, body).body);
    // They say nothing that a test could expect.
    answer.erase("took");
    return answer;
  }
  // Makes an index that searches see anew only when a client asks for it.
  void Make(const std::string& index) {
    const HttpResponse made =
        Send("PUT", "/" + index, R"({"settings": {"index": {"refresh_interval": "-1"}}})");
    EXPECT_EQ(made.status, 200) << made.body;
  }
  // The ids of the hits of a search, sorted.
  std::vector<std::string> Found(const std::string& index, const std::string& query) {
    const Json answer = Ask("GET", "/" + index + "/_search?size=1000&q=" + query);
    std::vector<std::string> ids;
    EXPECT_TRUE(answer.contains("hits")) << answer.dump();
    if (!answer.contains("hits")) return ids;
    for (const Json& hit : answer["hits"]["hits"]) ids.push_back(hit["_id"]);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  const TemporaryDirectory& directory() const { return directory_; }
  WritableIndexes& indexes() { return *indexes_; }
  IndexCatalog& catalog() { return *catalog_; }

 private:
  const TemporaryDirectory directory_;
  const bool read_only_;
  const uint64_t merge_bytes_per_second_;
  std::unique_ptr<IndexCatalog> catalog_;
  std::unique_ptr<WritableIndexes> indexes_;
  std::unique_ptr<ElasticsearchApi> api_;
};

}  // namespace pmdex
