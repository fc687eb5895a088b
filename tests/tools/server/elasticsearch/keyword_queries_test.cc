// Queries that look at the words of keywords: regexp, fuzzy and case_insensitive. The documents,
// queries and answers of reference/keyword_answers.jsonl are those of an OpenSearch 3.3 node, in
// whose index `k` is a keyword and `n`, the number of the document, a long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/tools/server/writing/writing_server.h"

namespace pmdex {
namespace keyword_queries_test {

class KeywordQueries : public testing::Test {
 protected:
  void Fill(const Json& documents) {
    const Json properties = {{"k", {{"type", "keyword"}}}, {"n", {{"type", "long"}}}};
    server_.Send("PUT", "/kq", ToJsonText({{"mappings", {{"properties", properties}}}}));
    std::string lines;
    for (size_t i = 0; i < documents.size(); ++i) {
      lines += "{\"index\": {\"_id\": \"" + std::to_string(i) + "\"}}\n";
      lines += ToJsonText({{"k", documents[i]}, {"n", i}}) + "\n";
    }
    const HttpResponse filled = server_.Send("POST", "/kq/_bulk?refresh=true", lines);
    ASSERT_THAT(filled.body, testing::HasSubstr("\"errors\":false"));
  }

  void ExpectAnswer(const Json& query, const Json& expected) {
    SCOPED_TRACE(ToJsonText(query));
    const std::string body = "{\"size\": 50, \"query\": " + ToJsonText(query) + "}";
    const Json answer = server_.Ask("POST", "/kq/_search", body);
    if (expected.is_string()) {
      const std::string reason = answer["error"]["root_cause"][0]["reason"];
      EXPECT_THAT(expected.get<std::string>(), testing::HasSubstr(reason));
      return;
    }
    ASSERT_TRUE(answer.contains("hits")) << answer.dump();
    EXPECT_EQ(answer["hits"]["hits"].size(), expected.size());
    for (const Json& hit : answer["hits"]["hits"]) {
      const std::string id = hit["_id"];
      ASSERT_TRUE(expected.contains(id)) << id;
      EXPECT_NEAR(hit["_score"].get<double>(), expected[id].get<double>(), 1e-5) << id;
    }
  }

  WritingServer server_;
};

TEST_F(KeywordQueries, AnswerAsARealNode) {
  std::ifstream file(kReferenceFolder + "keyword_answers.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  Fill(Json::parse(line)["documents"]);
  size_t asked = 0;
  for (; std::getline(file, line); ++asked) {
    const Json recorded = Json::parse(line);
    ExpectAnswer(recorded["query"], recorded["answer"]);
  }
  EXPECT_EQ(asked, 44u);
}

// As in a real node, whose doc values hold a keyword of a document once.
TEST_F(KeywordQueries, RepeatedKeywordsOfADocumentAreCountedOnce) {
  Fill({{"a", "b", "a"}, "a", Json::array(), {"c", "c"}});
  const Json answer = server_.Ask("POST", "/kq/_search", R"({"size": 0, "aggs": {
      "all": {"value_count": {"field": "k"}},
      "each": {"terms": {"field": "k"}, "aggs": {"n": {"value_count": {"field": "k"}}}}}})");
  EXPECT_EQ(answer["aggregations"]["all"]["value"], 4);
  const Json& each = answer["aggregations"]["each"]["buckets"];
  ASSERT_EQ(each.size(), 3u);
  EXPECT_EQ(each[0]["n"]["value"], 3);  // of a: a and b, and a
  EXPECT_EQ(each[2]["n"]["value"], 1);  // of c
}

}  // namespace keyword_queries_test
}  // namespace pmdex
