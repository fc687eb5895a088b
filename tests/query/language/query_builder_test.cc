#include "query/language/query_builder.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace query_builder_test {

class QueryBuilderTest : public testing::Test {
 protected:
  std::unique_ptr<Analyzer> analyzer_ = NewAnalyzer(AnalyzerKind::kEnglish);
  QueryBuilder builder_{*analyzer_};
  std::vector<std::string> two_ = {"b", "t"};
  std::vector<std::string> one_ = {"b"};
  const QueryFields every_ = QueryFields::Every();
};

TEST_F(QueryBuilderTest, GivesNothingForRemovedWords) {
  EXPECT_EQ(builder_.Word(two_, "the"), nullptr);
  EXPECT_EQ(builder_.Word(two_, "--"), nullptr);
  EXPECT_EQ(builder_.Phrase(two_, "of the", 2), nullptr);
  EXPECT_EQ(builder_.leaves(), 0u);
}

TEST_F(QueryBuilderTest, CountsEveryLeafOnceHoweverManyFieldsItSearches) {
  EXPECT_EQ(ToString(*builder_.Word(two_, "wi-fi")), "((b:wi t:wi) (b:fi t:fi))");
  EXPECT_EQ(builder_.leaves(), 2u);
  builder_.Phrase(two_, "a quick fox", 0);
  EXPECT_EQ(builder_.leaves(), 3u);
}

TEST_F(QueryBuilderTest, MakesOneNodeOfAWordInEveryField) {
  for (const auto& leaf : {builder_.Word(every_, "Cats"), builder_.Phrase(every_, "a b c", 1),
                           builder_.Fuzzy(every_, "cat", 1), builder_.Wildcard(every_, "c?t")}) {
    EXPECT_TRUE(leaf->every_field) << ToString(*leaf);
    EXPECT_EQ(leaf->field, "");
    EXPECT_TRUE(leaf->clauses.empty());
  }
  EXPECT_EQ(ToString(*builder_.Word(every_, "wi-fi")), "(wi fi)");
}

TEST_F(QueryBuilderTest, MakesEveryDocumentWithoutALeaf) {
  EXPECT_EQ(ToString(*QueryBuilder::AllDocuments()), "*:*");
  EXPECT_EQ(builder_.leaves(), 0u);
}

TEST_F(QueryBuilderTest, NormalisesPatternsButNotTheirWildcards) {
  EXPECT_EQ(ToString(*builder_.Wildcard(one_, "RUNN?NG*")), "b:runn?ng*");
  EXPECT_EQ(ToString(*builder_.Wildcard(one_, "Running*")), "b:running*");
  EXPECT_EQ(builder_.Wildcard(one_, "A\\*B*")->text, "a*b");
  EXPECT_EQ(builder_.Wildcard(one_, "A\\*?")->text, "a\\*?");
  // A full-width asterisk becomes an ordinary asterisk, which is not a wildcard.
  EXPECT_EQ(builder_.Wildcard(one_, "a\uff0a?")->text, "a\\*?");
  EXPECT_EQ(builder_.Wildcard(one_, "*")->kind, QueryKind::kPrefix);
}

TEST_F(QueryBuilderTest, FoldsLettersOfExpressionsButNotTheirOperators) {
  EXPECT_EQ(builder_.FoldedRegexp("QU[I-K]ck.*|\u00c9{2}"), "qu[i-k]ck.*|\u00e9{2}");
  EXPECT_EQ(builder_.FoldedRegexp("\\D\\W\\."), "\\d\\w\\.") << "as in Lucene";
  EXPECT_EQ(builder_.FoldedRegexp("Running"), "running") << "without stemming";
  EXPECT_EQ(builder_.FoldedRegexp("a\uff0e"), "a\\.") << "a full-width full stop is no operator";
  EXPECT_EQ(builder_.FoldedRegexp(""), "");
}

TEST_F(QueryBuilderTest, NormalisesFuzzyWordsWithoutStemming) {
  const auto query = builder_.Fuzzy(one_, "Running", 1);
  EXPECT_EQ(query->text, "running");
  EXPECT_EQ(query->edits, 1u);
}

TEST_F(QueryBuilderTest, MatchesNothingWithoutFields) {
  EXPECT_EQ(builder_.Word(std::span<const std::string>(), "fox")->kind, QueryKind::kNone);
}

}  // namespace query_builder_test
}  // namespace pmdex
