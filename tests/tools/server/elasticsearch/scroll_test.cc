// Scrolls and search_after through the API: every hit once, in order, of the documents as they
// were.
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace scroll_test {

class ScrollTest : public ElasticsearchFixture {
 protected:
  static std::vector<std::string> IdsOf(const Json& answer) {
    std::vector<std::string> ids;
    for (const Json& hit : answer["hits"]["hits"]) {
      ids.push_back(hit["_index"].get<std::string>() + "/" + hit["_id"].get<std::string>());
    }
    return ids;
  }
  // All hits, page by page.
  std::vector<std::string> ScrollAll(const std::string& body) {
    Json page = Ask("POST", "/_search?scroll=1m", body);
    std::vector<std::string> ids;
    const std::string id = page["_scroll_id"];
    while (!page["hits"]["hits"].empty()) {
      const auto some = IdsOf(page);
      ids.insert(ids.end(), some.begin(), some.end());
      page = Ask("POST", "/_search/scroll", R"({"scroll": "1m", "scroll_id": ")" + id + "\"}");
      EXPECT_EQ(page["hits"]["total"]["relation"], "eq");
    }
    EXPECT_EQ(Ask("DELETE", "/_search/scroll/" + id)["num_freed"], 1);
    EXPECT_EQ(Send("GET", "/_search/scroll/" + id).status, 404);
    return ids;
  }
};

TEST_F(ScrollTest, GivesEveryHitOfAllIndexesOnceInTheOrderOfTheWholeSearch) {
  for (const char* rest : {R"("query": {"match": {"title": "quick lazy"}})", R"("sort": ["_doc"])",
                           R"("query": {"match_all": {}})", R"("sort": [{"_doc": "desc"}])",
                           R"("query": {"match": {"title": "quick lazy"}},
                              "sort": [{"_score": "asc"}])"}) {
    const std::string query(rest);
    const auto whole = IdsOf(Ask("POST", "/_search", "{\"size\": 100, " + query + "}"));
    EXPECT_GT(whole.size(), 5u);
    for (const char* size : {"1", "3", "7", "100"}) {
      EXPECT_EQ(ScrollAll(std::string("{\"size\": ") + size + ", " + query + "}"), whole);
    }
  }
}

TEST_F(ScrollTest, KeepsTheIndexesThatItBeganWith) {
  const Json first = Ask("POST", "/books/_search?scroll=1m", R"({"size": 40})");
  const auto kept = std::exchange(Indexes(), {});
  const Json next = Ask("POST", "/_search/scroll",
                        R"({"scroll_id": ")" + first["_scroll_id"].get<std::string>() + "\"}");
  Indexes() = kept;
  EXPECT_EQ(IdsOf(next), (std::vector<std::string>{"books/b40", "books/b41"}));
}

TEST_F(ScrollTest, GoesOnBehindTheSortValuesOfAHit) {
  const std::string query = R"("query": {"match": {"body": "quick fox"}}, )";
  const std::string sort = R"("sort": [{"_score": "desc"}, {"_doc": "asc"}])";
  const auto whole = IdsOf(Ask("POST", "/books/_search", "{\"size\": 100, " + query + sort + "}"));
  std::vector<std::string> ids;
  std::string after;
  while (true) {
    const Json page = Ask("POST", "/books/_search", "{\"size\": 4, " + query + after + sort + "}");
    if (page["hits"]["hits"].empty()) break;
    const auto some = IdsOf(page);
    ids.insert(ids.end(), some.begin(), some.end());
    after = "\"search_after\": " + page["hits"]["hits"].back()["sort"].dump() + ", ";
  }
  EXPECT_EQ(ids, whole);
}

TEST_F(ScrollTest, RefusesMoreScrollsThanItKeeps) {
  for (size_t i = 0; i < ElasticsearchLimits{}.max_scroll_contexts; ++i) {
    ASSERT_EQ(Send("GET", "/books/_search?scroll=1m&size=1").status, 200);
  }
  EXPECT_EQ(Send("GET", "/books/_search?scroll=1m&size=1").status, 429);
  EXPECT_EQ(Send("DELETE", "/_search/scroll/_all").status, 200);
  EXPECT_EQ(Send("GET", "/books/_search?scroll=1m&size=1").status, 200);
}

}  // namespace scroll_test
}  // namespace pmdex
