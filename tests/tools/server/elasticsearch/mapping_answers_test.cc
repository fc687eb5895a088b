// Compares what a server says of typed fields with what a real OpenSearch 3 node said to the same
// requests (reference/record_answers URL mappings): mappings, refused documents, and searches of
// what was written, while it is in memory, after a merge and after a restart.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"
#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace mapping_answers_test {

// What differs from node to node or from run to run.
const std::set<std::string> kNotCompared = {
    "took",           "_node",     "_version", "_seq_no",      "_primary_term",  "_shards",
    "print_format",   "max_score", "_score",   "cluster_name", "forced_refresh", "terminated_early",
    "metadata_field", "_ignored"};

// What docs/ELASTICSEARCH.md says to differ.
const std::set<std::string> kDifferOnPurpose = {
    R"({"sort": ["_doc"], "query": {"term": {"double": 0}}})",  // 0 and -0 are equal
    R"({"sort": ["_doc"], "query": {"range": {"double": {"gte": 0}}}})",
    // The node finds nothing below the greatest number.
    R"({"sort": ["_doc"], "query": {"range": {"unsigned": {"lt": 18446744073709551615}}}})",
    R"({"foo": 1})",  // the error has other words
    // The node answers 500.
    R"({"size": 0, "aggs": {"a": {"terms": {"field": "kind", "order": {"nothing": "asc"}}, "aggs": {"x": {"stats": {"field": "place.rooms"}}}}}})",
    R"({"size": 0, "aggs": {"a": {"terms": {"field": "kind", "order": {"x": "asc"}}, "aggs": {"x": {"stats": {"field": "place.rooms"}}}}}})",
    // Between two values of few the node takes the greater one.
    R"({"size": 0, "aggs": {"a": {"percentiles": {"field": "place.rooms", "percents": [0, 50, 100]}}, "b": {"percentiles": {"field": "byte", "percents": [50], "keyed": false}}}})",
    R"({"size": 0, "aggs": {"a": {"terms": {"field": "kind"}, "aggs": {"p": {"percentiles": {"field": "place.rooms", "percents": [50]}}}}}})",
};

struct Question {
  std::string phase, method, url, body;
  int status = 0;
  Json answer;
};

std::vector<Question> Questions() {
  std::vector<Question> questions;
  std::ifstream lines(kReferenceFolder + "mapping_answers.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const Json read = Json::parse(line);
    questions.push_back({read["phase"], read["method"], read["url"],
                         read["body"].is_null() ? "" : read["body"].get<std::string>(),
                         read["status"], read["answer"]});
  }
  return questions;
}

// Of an error: its reason, and those of its causes where the words are the same.
Json ReasonOf(const Json& error) {
  if (error.contains("failed_shards")) return error["failed_shards"][0]["reason"]["type"];
  std::string reason = error.value("reason", "");
  // Java's parsers say where in the text they stand.
  for (const char* end :
       {"Preview of field's value", ": Unknown pattern letter", " but got a class java"}) {
    reason = reason.substr(0, reason.find(end));
  }
  return reason;
}

// by_doc: the hits are in index order, in which documents have numbers of the node.
Json Comparable(const Json& value, bool by_doc) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& element : value) out.push_back(Comparable(element, by_doc));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, member] : value.items()) {
    if (kNotCompared.contains(key) || (by_doc && key == "sort")) continue;
    const bool is_error = key == "error" && member.is_object();
    out[key] = is_error ? ReasonOf(member) : Comparable(member, by_doc);
  }
  return out;
}

// Numbers may differ in their last digits, and the keys of an object in their order.
bool AreEqual(const Json& a, const Json& b) {
  if (a.is_number_float() || b.is_number_float()) {
    if (!a.is_number() || !b.is_number()) return false;
    const double x = a;
    const double y = b;
    return std::fabs(x - y) <= 1e-6 * std::max(std::fabs(x), std::fabs(y));
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

void Compare(WritingServer& server, const Question& question) {
  const std::string what =
      question.method + " " + question.url + " " + question.body.substr(0, 300);
  const HttpResponse response = server.Send(question.method, question.url, question.body);
  if (kDifferOnPurpose.contains(question.body)) return;
  const bool by_doc = question.body.find(R"("_doc"])") != std::string::npos ||
                      question.url.find("sort=_doc") != std::string::npos;
  const Json answer = Comparable(Json::parse(response.body, nullptr, false), by_doc);
  const Json expected = Comparable(question.answer, by_doc);
  EXPECT_EQ(response.status, question.status) << what << "\n" << response.body.substr(0, 600);
  EXPECT_TRUE(AreEqual(answer, expected))
      << what << "\nanswer:    " << answer.dump().substr(0, 6000)
      << "\nof a node: " << expected.dump().substr(0, 6000);
}

TEST(MappingAnswers, AreThoseOfARealNode) {
  WritingServer server;
  const std::vector<Question> questions = Questions();
  ASSERT_GT(questions.size(), 250u);
  for (const Question& question : questions) {
    if (question.phase == "write") Compare(server, question);
  }
  const auto search = [&](const char* when) {
    SCOPED_TRACE(when);
    for (const Question& question : questions) {
      if (question.phase == "search") Compare(server, question);
    }
  };
  search("in memory");
  EXPECT_EQ(server.Send("POST", "/_forcemerge?max_num_segments=1").status, 200);
  search("after a merge");
  server.Restart();
  search("after a restart");
}

}  // namespace mapping_answers_test
}  // namespace pmdex
