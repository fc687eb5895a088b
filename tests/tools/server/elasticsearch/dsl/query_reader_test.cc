#include "tools/server/elasticsearch/dsl/query_reader.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/term_queries.h"

namespace pmdex {
namespace query_reader_test {

class QueryReaderTest : public testing::Test {
 protected:
  absl::StatusOr<DslQuery> Read(const std::string& json,
                                AnalyzerKind kind = AnalyzerKind::kStandard) {
    index_.analyzer = kind;
    QueryReader reader(index_, analyzers_, 1000);
    return reader.Read(Json::parse(json));
  }
  std::string Tree(const std::string& json, AnalyzerKind kind = AnalyzerKind::kStandard) {
    const auto query = Read(json, kind);
    return query.ok() ? ToString(*query->root)
                      : ErrorJson(query.status())["root_cause"][0]["reason"].dump();
  }

  const std::vector<std::string> fields_ = {"author.city", "author.name", "body", "title"};
  DslIndex index_{"books", AnalyzerKind::kStandard, fields_};
  AnalyzerPools analyzers_;
};

TEST_F(QueryReaderTest, ReadsEveryKindOfQuery) {
  const auto expect = [&](const char* json, const char* tree) {
    EXPECT_EQ(Tree(json), tree) << json;
  };
  expect(R"({"match": {"body": "Quick fox"}})", "(body:quick body:fox)");
  expect(R"({"match": {"body": {"query": "Quick fox", "operator": "AND"}}})",
         "(+body:quick +body:fox)");
  expect(R"({"match": {"body": {"query": "quick", "boost": 2}}})", "body:quick^2");
  expect(R"({"match": {"body": {"query": "quik", "fuzziness": "AUTO"}}})", "body:quik~1");
  expect(R"({"match": {"_id": "b1"}})", Tree(R"({"ids": {"values": ["b1"]}})").c_str());
  expect(R"({"match_phrase": {"body": {"query": "quick fox", "slop": 2}}})",
         "body:\"quick fox\"~2");
  expect(R"({"match_phrase": {"body": "quick"}})", "body:quick");
  expect(R"({"match_bool_prefix": {"body": "quick fo"}})", "(body:quick body:fo*)");
  expect(R"({"term": {"body": "Quick"}})", "body:Quick");
  expect(R"({"prefix": {"body": "Qu"}})", "body:Qu*");
  expect(R"({"wildcard": {"body": {"wildcard": "q*k"}}})", "body:q*k");
  expect(R"({"regexp": {"body": "q.*"}})", "body:/q.*/");
  expect(R"({"fuzzy": {"body": {"value": "quick", "fuzziness": 1}}})", "body:quick~1");
  expect(R"({"match_all": {}})", "*:*");
}

TEST_F(QueryReaderTest, CountsTheClausesThatMustMatch) {
  const auto minimum = [&](const std::string& specification) {
    const auto query = Read(R"({"match": {"body": {"query": "a b c d e f g h i j", )"
                            R"("minimum_should_match": ")" +
                            specification + "\"}}}");
    return query.ok() ? static_cast<int>((*query).root->minimum_should_match) : -1;
  };
  EXPECT_EQ(minimum("3"), 3);
  EXPECT_EQ(minimum("-3"), 7);
  EXPECT_EQ(minimum("75%"), 7);
  EXPECT_EQ(minimum("-25%"), 8);
  EXPECT_EQ(minimum("0"), 0);
  EXPECT_EQ(minimum("-20"), 0);
  EXPECT_EQ(minimum("2<-25%"), 8);
  EXPECT_EQ(minimum("12<3"), 10);
  EXPECT_EQ(minimum("2<-25% 9<-3"), 7);
  EXPECT_EQ(minimum("x"), -1);
  EXPECT_EQ(minimum("1%%"), -1);
}

TEST_F(QueryReaderTest, KeepsTheNamesOfQueries) {
  const auto query = Read(R"({"bool": {"must": [{"match": {"body": {"query": "a", "_name": "x"}}}],
      "should": {"terms": {"title": ["b", "c"], "_name": "y"}}, "minimum_should_match": 7,
      "_name": "z"}})");
  ASSERT_TRUE(query.ok()) << query.status();
  std::vector<std::string> trees;
  for (const NamedQuery& named : query->named) {
    trees.push_back(named.name + "=" + ToString(*named.query).substr(0, 6));
  }
  EXPECT_EQ(trees[0], "x=body:a");
  EXPECT_EQ(query->named.size(), 3u);
  EXPECT_EQ(query->named[2].query, query->root.get());
}

TEST_F(QueryReaderTest, SpreadsMultiMatchOverFieldsAndPatterns) {
  const auto query =
      Read(R"({"multi_match": {"query": "a", "fields": ["author.*", "title^3", "title"],
      "tie_breaker": 0.5}})");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->root->kind, QueryKind::kDisjunctionMax);
  EXPECT_EQ(query->root->tie_breaker, 0.5f);
  ASSERT_EQ(query->root->clauses.size(), 3u);
  EXPECT_EQ(ToString(*query->root->clauses[2].query), "title:a^3");
  const auto all = Read(R"({"multi_match": {"query": "a"}})");
  EXPECT_EQ(all->root->clauses.size(), 4u);
}

TEST_F(QueryReaderTest, IgnoresCaseWhereItIsAskedTo) {
  EXPECT_EQ(WithoutCase("fO"), "[fF][Oo]");
  EXPECT_EQ(WithoutCase("[a-z]x[bC]1\\D"), "[a-zA-Z][xX][bBCc]1\\D");
  EXPECT_EQ(Tree(R"({"term": {"body": {"value": "a.b", "case_insensitive": true}}})"),
            "body:/[aA]\\.[bB]/");
  EXPECT_EQ(Tree(R"({"wildcard": {"body": {"value": "a*?", "case_insensitive": true}}})"),
            "body:/[aA].*./");
}

TEST_F(QueryReaderTest, SaysWhatIsWrong) {
  const auto reason = [&](const char* json, const char* text) {
    EXPECT_NE(Tree(json).find(text), std::string::npos) << json << ": " << Tree(json);
  };
  reason(R"({"foo": {}})", "unknown query [foo]");
  reason(R"({"match": {"a": 1, "b": 2}})", "doesn't support multiple fields, found [a] and [b]");
  reason(R"({"match": {"a": "x"}, "term": {}})", "[match] malformed query");
  reason(R"({"match": {"body": {"query": "a", "analyzer": "nope"}}})", "analyzer [nope] not found");
  reason(R"({"term": {"body": ["a"]}})", "array of values");
  reason(R"({"exists": {}})", "must be provided with a [field]");
  reason(R"({"dis_max": {"queries": []}})", "requires 'queries'");
  reason(R"({"constant_score": {}})", "requires a 'filter'");
  reason(R"({"match": {"body": {"query": "a", "boost": -1}}})", "negative [boost]");
  reason(R"({"query_string": {"query": "(a"}})", "Failed to parse query [(a]");
  reason(R"([])", "query malformed");
  reason(R"({})", "empty clause");
}

// The tree of a query_string with these options in an index that has the fields "level" of
// keywords and "size" of numbers, too; "refused" if it is an error.
std::string TypedTree(const std::string& text, const std::string& options = "") {
  const std::vector<std::string> texts = {"body", "title"};
  DslIndex index{"logs", AnalyzerKind::kStandard, texts, {"level", "size"}};
  index.columns.type_of = [](std::string_view field) -> std::optional<FieldType> {
    if (field == "level") return FieldType::kKeyword;
    if (field == "size") return FieldType::kI64;
    if (field == "body" || field == "title") return FieldType::kText;
    return std::nullopt;
  };
  AnalyzerPools analyzers;
  QueryReader reader(index, analyzers, 1000);
  const auto query = reader.Read(
      Json::parse("{\"query_string\": {\"query\": " + Json(text).dump() + options + "}}"));
  return query.ok() ? ToString(*query->root) : "refused";
}

TEST_F(QueryReaderTest, SearchesWordsInFieldsOfEveryType) {
  EXPECT_EQ(TypedTree("a b"), "((body:a body:b) | (title:a title:b) | level:a b)");
  EXPECT_EQ(TypedTree("5"), "(body:5 | title:5 | level:5 | size:5)");
  EXPECT_EQ(TypedTree("\"a b\""), "(body:\"a b\" | title:\"a b\" | level:a b)");
  EXPECT_EQ(TypedTree("*:a*"), "(body:a* | title:a* | level:a*)");
  EXPECT_EQ(TypedTree("a~1"), "(body:a~1 | title:a~1 | level:a~1)");
  EXPECT_EQ(TypedTree("level:(a b) c"), "(level:a b (body:c | title:c | level:c))");
  EXPECT_EQ(TypedTree("s\\*:>4"), "size:>4");
  EXPECT_EQ(TypedTree("size:a AND b"), "(+<nothing> +(body:b | title:b | level:b))");
  EXPECT_EQ(TypedTree("a", R"(, "fields": ["t*^2", "level"])"), "(title:a^2 | level:a)");
  EXPECT_EQ(TypedTree("a", R"(, "fields": ["title", "size"])"), "refused");
  EXPECT_EQ(TypedTree("a", R"(, "fields": ["title", "size"], "lenient": true)"), "title:a");
  EXPECT_EQ(TypedTree("a~1", R"(, "fields": ["title", "level"])"), "(title:a~1 | level:a~1)");
  EXPECT_EQ(TypedTree("a", R"(, "fields": ["*"], "lenient": false)"), "refused");
  EXPECT_EQ(TypedTree("[1 TO 2]"), "refused") << "text has no ranges";
  EXPECT_EQ(TypedTree("[1 TO 2]", R"(, "default_field": "size")"), "size:[1 TO 2]");
  EXPECT_EQ(TypedTree("a", R"(, "fields": "title")"), "refused") << "fields must be a list";
}

TEST_F(QueryReaderTest, ComparesTheWordsOfAGroup) {
  EXPECT_EQ(TypedTree("size:(>1 AND <=5)"), "(+size:{1 TO *] +size:[* TO 5])");
  EXPECT_EQ(TypedTree("level:(>=b c OR <a)"), "(level:[b c TO *] level:[* TO a})")
      << "words that stand together are one value";
  EXPECT_EQ(TypedTree("size:(>=)", R"(, "lenient": false)"), "refused") << "= is no number";
  EXPECT_EQ(TypedTree("size:(>)", R"(, "lenient": true)"), "<nothing>");
  EXPECT_EQ(TypedTree("size:(>x OR 5)", R"(, "lenient": true)"), "(<nothing> size:5)");
  EXPECT_EQ(TypedTree("level:(a OR \">b\")"), "(level:a level:>b)") << "in quotes";
  EXPECT_EQ(TypedTree("s\\*:(>4)"), "size:{4 TO *]");
  EXPECT_EQ(TypedTree(">4 <3", R"(, "default_field": "level")"), "level:{4 <3 TO *]");
  EXPECT_EQ(TypedTree(">4", R"(, "default_field": "size")"), "size:{4 TO *]");
  EXPECT_EQ(TypedTree(">4", R"(, "fields": ["level"])"), "level:>4");
  EXPECT_EQ(TypedTree(">4"), "refused") << "text has no ranges";
}

TEST_F(QueryReaderTest, ReadsTildesAsElasticsearch) {
  EXPECT_EQ(TypedTree("body:\"a b\"~", R"(, "phrase_slop": 3)"), "body:\"a b\"~3");
  EXPECT_EQ(TypedTree("body:\"a b\"~1.5", R"(, "phrase_slop": 3)"), "body:\"a b\"~1");
  EXPECT_EQ(TypedTree("body:a?b~1 body:*~"), "(body:a?b body:*)");
  EXPECT_EQ(TypedTree("body:abcd~auto", R"(, "fuzziness": 0)"), "body:abcd~1");
  EXPECT_EQ(TypedTree("body:ab~AUTO"), "body:ab~0");
  EXPECT_EQ(TypedTree("body:ab~AUT"), "refused");
}

TEST_F(QueryReaderTest, FoldsExpressionsOfText) {
  EXPECT_EQ(TypedTree("body:/A.B/"), "body:/a.b/");
  EXPECT_EQ(TypedTree("level:/A.B/"), "level:/A.B/");
  EXPECT_EQ(TypedTree("body:/A.B/", R"(, "analyzer": "whitespace")"), "body:/A.B/");
}

TEST_F(QueryReaderTest, GivesNoScoreToWhatOnlyANotMatches) {
  EXPECT_EQ(Tree(R"({"query_string": {"query": "NOT a", "default_field": "body"}})"),
            "(-body:a #*:*)");
  EXPECT_EQ(Tree(R"({"query_string": {"query": "(-a) b", "default_field": "body"}})"),
            "((-body:a #*:*) body:b)");
}

TEST_F(QueryReaderTest, SearchesAWordOfAQueryStringInItsBestField) {
  const auto query = Read(R"({"query_string": {"query": "a", "fields": ["title^2", "body"]}})");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->root->kind, QueryKind::kDisjunctionMax);
  EXPECT_EQ(ToString(*query->root->clauses[0].query), "title:a^2");
  EXPECT_EQ(Tree(R"({"query_string": {"query": "a b", "default_field": "body",
      "default_operator": "and"}})"),
            "(+body:a +body:b)");
  EXPECT_EQ(Tree(R"({"query_string": {"query": "\"a b\"", "default_field": "body",
      "phrase_slop": 4}})"),
            "body:\"a b\"~4");
}

}  // namespace query_reader_test
}  // namespace pmdex
