// How many matches a search says there are: up to `track_total_hits`, as Elasticsearch does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tests/tools/server/served_library.h"

namespace pmdex {
namespace total_hits_test {

TEST(TotalHits, AreCountedUpToTenThousandIfNothingIsAsked) {
  constexpr size_t kDocuments = 10'001;
  const ServedIndexes indexes = {
      ServedLibrary("books", std::vector<std::string>(kDocuments, "apple"), kDocuments)};
  const ElasticsearchApi api({}, {}, nullptr);
  const auto total_of = [&](const std::string& more) {
    const HttpRequest request =
        RequestOf("POST", "/books/_search",
                  R"({"query": {"match": {"body": "apple"}}, "size": 1)" + more + "}");
    const HttpResponse answer = api.Handle(request, indexes, std::chrono::seconds(60));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse(answer.body)["hits"].value("total", Json());
  };
  const auto expected = [](uint64_t value, const char* relation) {
    return Json{{"value", value}, {"relation", relation}};
  };
  EXPECT_EQ(total_of(""), expected(10'000, "gte"));
  EXPECT_EQ(total_of(R"(, "track_total_hits": true)"), expected(kDocuments, "eq"));
  EXPECT_EQ(total_of(R"(, "track_total_hits": 5)"), expected(5, "gte"));
  EXPECT_EQ(total_of(R"(, "track_total_hits": 10001)"), expected(kDocuments, "eq"));
  EXPECT_EQ(total_of(R"(, "track_total_hits": false)"), Json());
  EXPECT_EQ(total_of(R"(, "sort": ["_doc"])"), expected(10'000, "gte"));
}

}  // namespace total_hits_test
}  // namespace pmdex
