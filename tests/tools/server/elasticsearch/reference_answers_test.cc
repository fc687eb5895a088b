// Compares answers with those of a real OpenSearch 3 node (reference/record_answers) to the same
// requests on the same documents.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace reference_answers_test {

class ReferenceAnswers : public ElasticsearchFixture {};

// What differs from node to node or from run to run, and what docs/ELASTICSEARCH.md says to differ:
// explanations and profiles have other words, mappings show no objects that are not indexed.
const std::set<std::string> kNotCompared = {"took",
                                            "_scroll_id",
                                            "_node",
                                            "explanation",
                                            "_explanation",
                                            "profile",
                                            "cluster_name",
                                            "index_uuid",
                                            "uuid",
                                            "num_freed",
                                            "size_in_bytes",
                                            "size",
                                            "store.size",
                                            "pri.store.size",
                                            "epoch",
                                            "timestamp",
                                            "cluster",
                                            "creation_date",
                                            "replication",
                                            "created",
                                            "analysis",
                                            "dynamic_templates",
                                            "metadata_field",
                                            "terminated_early",
                                            "discovered_master",
                                            "discovered_cluster_manager",
                                            "version",
                                            "reserved",
                                            "reserved_in_bytes"};

Json Comparable(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& element : value) out.push_back(Comparable(element));
    return out;
  }
  if (!value.is_object()) return value;
  if (value.contains("error") && value["error"].is_object())
    return {{"error", value.value("status", 0)}};
  Json out = Json::object();
  for (const auto& [key, member] : value.items()) {
    const bool is_disabled = member.is_object() && member.value("enabled", true) == false;
    if (kNotCompared.contains(key) || is_disabled) continue;
    out[key] = Comparable(member);
    if (key == "matched_queries") std::sort(out[key].begin(), out[key].end());
  }
  return out;
}

// Numbers may differ in their last digits: scores are added in another order.
bool AreEqual(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a;
    const double y = b;
    return std::fabs(x - y) <= 1e-4 * std::max(std::fabs(x), std::fabs(y));
  }
  if (a.is_array() && b.is_array()) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), AreEqual);
  }
  if (!a.is_object() || !b.is_object()) return a == b;
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key) || !AreEqual(value, b[key])) return false;
  }
  return true;
}

// Requests whose answers differ on purpose (docs/ELASTICSEARCH.md). Their tests are elsewhere.
bool DiffersOnPurpose(const std::string& url, const std::string& body) {
  const std::set<std::string> kUrls = {
      "/_nope",                     // an endpoint that is not known is a 404
      "/books/_nope",               //
      "/",                          // name and version
      "/_cat/health?v=true",        // has a column less
      "/_cat/indices?format=yaml",  // text and JSON only
      "/_resolve/index/books,b*",   // names an index once
      "/_field_caps?fields=*",      // without the fields of the node itself
      "/_stats",                    // documents, bytes and segments only
      "/books/_stats",              //
      "/_cat/indices",              // sizes and ids of indexes
      "/_cat/count/books?v=true",   // the time
      "/_cat/indices?bytes=kb&h=index,store.size",
  };
  if (kUrls.contains(url)) return true;
  if (url == "/_search/scroll" && body.find("abc") != body.npos) return true;  // ids look otherwise
  if (url == "/books/_field_caps" && !body.empty()) return true;   // fields may stand in the body
  return url == "/_analyze" && body.find("\\ud83d") != body.npos;  // no emoji, NFKC
}

TEST_F(ReferenceAnswers, AreThoseOfARealNode) {
  std::ifstream lines(kReferenceFolder + "answers.jsonl");
  size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json expected = Json::parse(line);
    const std::string body = expected["body"].is_null() ? "" : expected["body"];
    const std::string url = expected["url"];
    if (DiffersOnPurpose(url, body)) continue;
    SCOPED_TRACE(expected["method"].get<std::string>() + " " + url + " " + body);
    const HttpResponse response = Send(expected["method"].get<std::string>(), url, body);
    ASSERT_EQ(response.status, expected["status"]) << response.body;
    Json answer = Json::parse(response.body, nullptr, false);
    if (answer.is_discarded()) answer = response.body;
    ++compared;
    if (expected["method"] == "HEAD") continue;  // the connection leaves the body out
    if (expected["status"] < 400) {
      ASSERT_TRUE(AreEqual(Comparable(answer), Comparable(expected["answer"])))
          << "answer: " << answer.dump() << "\nof a node: " << expected["answer"].dump();
    } else if (const Json& theirs = expected["answer"];
               theirs.is_object() && theirs.contains("error") && theirs["error"].is_string()) {
      ASSERT_EQ(answer["error"], expected["answer"]["error"]);
    }
  }
  EXPECT_GT(compared, 250u);
}

}  // namespace reference_answers_test
}  // namespace pmdex
