// Searches of several indexes at once: the order of their hits, pages of them, and indexes that
// cannot answer.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/tools/server/writing/writing_server.h"

namespace pmdex {
namespace several_indexes_test {

class SeveralIndexes : public testing::Test {
 protected:
  // Documents of a number, a word and a text, of which many are equal.
  void Fill(const std::string& index, int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const std::string id = index + std::to_string(i);
      lines += R"({"index": {"_index": ")" + index + R"(", "_id": ")" + id + "\"}}\n";
      lines += R"({"n": )" + std::to_string(random_.Below(9)) + R"(, "w": ")" +
               std::string(1, static_cast<char>('a' + random_.Below(3))) +
               R"(", "body": "common )" + (random_.OneIn(2) ? "more common" : "") + "\"}\n";
    }
    EXPECT_EQ(server_.Ask("POST", "/_bulk?refresh=true", lines)["errors"], false);
  }
  void SetUp() override {
    const std::string mapping =
        R"({"mappings": {"properties": {"n": {"type": "long"}, "w": {"type": "keyword"}}}})";
    for (const char* index : {"a", "b"}) server_.Send("PUT", std::string("/") + index, mapping);
    Fill("a", 70);
    Fill("b", 90);
  }
  Json Search(const std::string& indexes, const std::string& body) {
    return server_.Ask("POST", "/" + indexes + "/_search", body);
  }

  SeededRandom random_{27};
  WritingServer server_;
};

TEST_F(SeveralIndexes, PagesHaveEachHitOnceAndInOrder) {
  for (const std::string sort :
       {R"(["n", "_doc"])", R"([{"n": "desc"}, {"_doc": "desc"}])", R"(["w", "_doc"])",
        R"(["_score", "_doc"])", R"(["_doc"])", R"(["w", "n", "_doc"])"}) {
    const std::string query = R"("query": {"match": {"body": "more"}}, "sort": )" + sort;
    const Json all = Search("a,b", R"({"size": 500, )" + query + "}")["hits"]["hits"];
    ASSERT_GT(all.size(), 50u);
    std::map<std::string, Json> paged;  // the values of the hits, by id
    std::vector<Json> in_order;
    std::string after;
    for (size_t pages = 0; pages <= all.size(); ++pages) {
      const Json page = Search("a,b", R"({"size": 3, )" + query + after + "}")["hits"]["hits"];
      if (page.empty()) break;
      for (const Json& hit : page) {
        EXPECT_TRUE(paged.emplace(hit["_id"], hit["sort"]).second) << sort << " " << hit.dump();
        in_order.push_back(hit["sort"]);
      }
      after = R"(, "search_after": )" + page.back()["sort"].dump();
    }
    std::set<std::string> values;
    for (const auto& [id, shown] : paged) values.insert(shown.dump());
    std::vector<Json> expected;
    for (const Json& hit : all) {
      // Two documents of two indexes can have the same values. If a page ends between them, no
      // value leads to the second, in a real node neither.
      EXPECT_TRUE(values.contains(hit["sort"].dump())) << sort << " " << hit.dump();
      if (paged.contains(hit["_id"])) expected.push_back(hit["sort"]);
    }
    EXPECT_EQ(in_order, expected) << sort;
  }
}

TEST_F(SeveralIndexes, AScrollHasEveryHitOnceAndTheBestScoreOfAll) {
  Json page = server_.Ask("POST", "/a,b/_search?scroll=1m",
                          R"({"size": 7, "query": {"match": {"body": "common"}}})");
  const Json best = page["hits"]["max_score"];
  EXPECT_GT(best.get<double>(), 0);
  std::set<std::string> ids;
  while (!page["hits"]["hits"].empty()) {
    for (const Json& hit : page["hits"]["hits"]) EXPECT_TRUE(ids.insert(hit["_id"]).second);
    page = server_.Ask("POST", "/_search/scroll",
                       R"({"scroll": "1m", "scroll_id": )" + page["_scroll_id"].dump() + "}");
    EXPECT_EQ(page["hits"]["max_score"], best);
  }
  EXPECT_EQ(ids.size(), 160u);
}

TEST_F(SeveralIndexes, AnswersOfTheOthersWhereSomeCannotAnswer) {
  server_.Send("PUT", "/k", R"({"mappings": {"properties": {"n": {"type": "keyword"}}}})");
  server_.Send("PUT", "/k/_doc/k1?refresh=true", R"({"n": "x", "z": "common"})");
  const std::string query = R"({"query": {"match": {"n": "x"}}})";
  const Json some = Search("a,b,k", query);
  ASSERT_TRUE(some.contains("hits")) << some.dump();
  EXPECT_EQ(some["hits"]["total"]["value"], 1);
  EXPECT_EQ(some["_shards"]["total"], 3);
  EXPECT_EQ(some["_shards"]["successful"], 1);
  EXPECT_EQ(some["_shards"]["failed"], 2);
  ASSERT_EQ(some["_shards"]["failures"].size(), 2u);
  EXPECT_EQ(some["_shards"]["failures"][1]["index"], "b");
  EXPECT_EQ(some["_shards"]["failures"][1]["reason"]["type"], "query_shard_exception");
  // A field that only one index has.
  const Json sorted = Search("a,k", R"({"sort": ["w"]})");
  EXPECT_EQ(sorted["hits"]["total"]["value"], 70);
  EXPECT_EQ(sorted["_shards"]["failures"][0]["index"], "k");
  const Json counted = server_.Ask("POST", "/a,k/_count", query);
  EXPECT_EQ(counted["count"], 1);
  EXPECT_EQ(counted["_shards"]["failed"], 1);
  const Json several = server_.Ask("POST", "/_msearch",
                                   R"({"index": "a,k"})"
                                   "\n" +
                                       query + "\n");
  EXPECT_EQ(several["responses"][0]["_shards"]["failed"], 1);
  EXPECT_EQ(several["responses"][0]["status"], 200);
  const Json counts = Search("a,k", R"({"size": 0, "query": {"match": {"n": "x"}},
                        "aggs": {"w": {"value_count": {"field": "n"}}}})");
  EXPECT_EQ(counts["aggregations"]["w"]["value"], 1);
}

TEST_F(SeveralIndexes, FailsWhereAllFail) {
  const HttpResponse response =
      server_.Send("POST", "/a,b/_search", R"({"query": {"match": {"n": "x"}}})");
  EXPECT_EQ(response.status, 400);
  const Json error = Json::parse(response.body)["error"];
  EXPECT_EQ(error["reason"], "all shards failed");
  EXPECT_EQ(error["root_cause"].size(), 2u);
  ASSERT_EQ(error["failed_shards"].size(), 2u);
  EXPECT_EQ(error["failed_shards"][0]["index"], "a");
  EXPECT_EQ(error["failed_shards"][1]["index"], "b");
  // What is wrong whatever the index is remains an error of the request.
  const HttpResponse malformed =
      server_.Send("POST", "/a,b/_search", R"({"query": {"nonsense": {}}})");
  EXPECT_EQ(malformed.status, 400);
  EXPECT_FALSE(Json::parse(malformed.body)["error"].contains("failed_shards"));
}

TEST_F(SeveralIndexes, AnExcludedIndexMustExist) {
  EXPECT_EQ(server_.Send("GET", "/*,-b/_search").status, 200);
  EXPECT_EQ(server_.Send("GET", "/*,-b*/_search").status, 200);
  EXPECT_EQ(server_.Send("GET", "/*,-none*/_search").status, 200);
  EXPECT_EQ(server_.Send("GET", "/*,-none/_search").status, 404);
  EXPECT_EQ(server_.Send("GET", "/*,-none/_search?ignore_unavailable=true").status, 200);
}

TEST_F(SeveralIndexes, TheBestScoreIsThatOfTheHitsThatThePostFilterLeaves) {
  const std::string rest =
      R"(, "track_scores": true, "query": {"match": {"body": "common"}}, "sort": )";
  for (const std::string sort : {R"(["_doc"])", R"(["n"])"}) {
    const auto best_of = [&](const std::string& filter) {
      return Search("a", R"({"size": 100, "post_filter": )" + filter + rest + sort + "}")["hits"];
    };
    const Json few = best_of(R"({"ids": {"values": ["a3", "a4", "a9"]}})");
    ASSERT_EQ(few["hits"].size(), 3u);
    double best = 0;
    for (const Json& hit : few["hits"]) best = std::max(best, hit["_score"].get<double>());
    EXPECT_EQ(few["max_score"], best) << sort;
    EXPECT_EQ(best_of(R"({"ids": {"values": ["none"]}})")["max_score"], nullptr) << sort;
  }
}

}  // namespace several_indexes_test
}  // namespace pmdex
