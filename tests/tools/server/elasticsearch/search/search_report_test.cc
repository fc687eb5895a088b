#include "tools/server/elasticsearch/search/search_report.h"

#include <string>
#include <vector>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace search_report_test {

class SearchReport : public ElasticsearchFixture {
 protected:
  SearchReport() {
    body_.query = Json::parse(R"({"match": {"body": "quick"}})");
    queries_.push_back(ReadIndexQuery(Indexes()[0], body_, analyzers_, {}).value());
    queries_.push_back(ReadIndexQuery(Indexes()[1], body_, analyzers_, {}).value());
  }

  SearchBody body_;
  AnalyzerPools analyzers_;
  std::vector<IndexQuery> queries_;
};

TEST_F(SearchReport, CountsIndexesThatFailedOrLackDocuments) {
  std::vector<SearchResult> results(2);
  EXPECT_EQ(ShardsJson(2, queries_, results, {}),
            Json::parse(R"({"total": 2, "successful": 2, "skipped": 0, "failed": 0})"));
  results[1].missing.push_back({"segment-1", 7, "lost"});
  const std::vector<absl::Status> failures = {ShardError("some_exception", "why", "other")};
  const Json shards = ShardsJson(3, queries_, results, failures);
  EXPECT_EQ(shards["total"], 3);
  EXPECT_EQ(shards["successful"], 1);
  EXPECT_EQ(shards["failed"], 2);
  ASSERT_EQ(shards["failures"].size(), 2u);
  EXPECT_EQ(shards["failures"][0]["index"], "other");
  EXPECT_EQ(shards["failures"][0]["reason"]["type"], "some_exception");
  EXPECT_EQ(shards["failures"][1]["index"], "logs");
  EXPECT_EQ(shards["failures"][1]["reason"]["type"], "corrupt_index_exception");
}

TEST_F(SearchReport, ProfilesTheIndexesThatTookPart) {
  SearchOptions options;
  options.explain = true;
  std::vector<SearchResult> results(2);
  results[0] = queries_[0].index->searcher->Search(*queries_[0].searched, options).value();
  const Json shards = ProfileJson(queries_, results)["shards"];
  ASSERT_EQ(shards.size(), 1u);
  EXPECT_EQ(shards[0]["id"], "[pmdex][books][0]");
  EXPECT_EQ(shards[0]["searches"][0]["query"][0]["description"], "body:quick");
}

}  // namespace search_report_test
}  // namespace pmdex
