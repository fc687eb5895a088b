#include "query/language/query_leaf.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace query_leaf_test {

class QueryLeafTest : public testing::Test {
 protected:
  // The leaf in the field b for a text of one word or phrase, perhaps with a tilde.
  absl::StatusOr<std::unique_ptr<Query>> Build(std::string_view text, bool is_named = false) {
    QueryLexer lexer(text);
    const QueryToken word = lexer.Next().value();
    std::optional<QueryToken> tilde = lexer.Next().value();
    if (tilde->kind != QueryTokenKind::kTilde) tilde.reset();
    return BuildLeaf(text, word, tilde, {fields_, is_named}, builder_);
  }
  std::string Tree(std::string_view text, bool is_named = false) {
    return ToString(**Build(text, is_named));
  }
  std::string Error(std::string_view text) {
    const std::string message(Message(Build(text).status()));
    return message.substr(0, message.find('\n'));
  }

  std::unique_ptr<Analyzer> analyzer_ = NewAnalyzer(AnalyzerKind::kEnglish);
  QueryBuilder builder_{*analyzer_};
  const std::vector<std::string> fields_ = {"b"};
};

TEST_F(QueryLeafTest, KnowsTheKindFromWhatIsWritten) {
  EXPECT_EQ(Tree("Cats"), "b:cat");
  EXPECT_EQ(Tree("\"two cats\""), "b:\"two cat\"");
  EXPECT_EQ(Tree("\"two cats\"~3"), "b:\"two cat\"~3");
  EXPECT_EQ(Tree("cat*"), "b:cat*");
  EXPECT_EQ(Tree("c?t"), "b:c?t");
  EXPECT_EQ(Tree("cat~1"), "b:cat~1");
  EXPECT_EQ(Tree("cat~"), "b:cat~2");
  EXPECT_EQ(Tree("c\\*t"), "(b:c b:t)") << "an escaped star is a letter like any other";
}

TEST_F(QueryLeafTest, TakesAStarAloneForEveryDocumentUnlessAFieldWasNamed) {
  EXPECT_EQ(Tree("*"), "*:*");
  EXPECT_EQ(Tree("*", true), "b:*");
}

TEST_F(QueryLeafTest, IsNothingWhereTheAnalyzerRemovesTheText) {
  EXPECT_EQ(Build("the").value(), nullptr);
  EXPECT_EQ(Build("\"of the\"~2").value(), nullptr);
}

TEST_F(QueryLeafTest, RefusesNumbersThatDoNotFitTheirWord) {
  EXPECT_EQ(Error("cat~3"), "column 4: the edit distance must be 0, 1 or 2");
  EXPECT_EQ(Error("cat~1x"), "column 4: the edit distance must be 0, 1 or 2");
  EXPECT_EQ(Error("\"two cats\"~x"),
            "column 11: what follows ~ after a phrase must be a positive number");
}

TEST_F(QueryLeafTest, TakesTheWholePartOfASlop) {
  EXPECT_EQ(Tree("\"two cats\"~"), "b:\"two cat\"");
  EXPECT_EQ(Tree("\"two cats\"~0.9"), "b:\"two cat\"");
  EXPECT_EQ(Tree("\"two cats\"~1.5"), "b:\"two cat\"~1");
  EXPECT_EQ(Tree("\"two cats\"~4294967295"), "b:\"two cat\"~4294967295");
  EXPECT_EQ(Tree("\"two cats\"~99999999999"), "b:\"two cat\"~2147483648");
}

TEST_F(QueryLeafTest, PassesOverATildeBehindPatterns) {
  EXPECT_EQ(Tree("ca*~1"), "b:ca*");
  EXPECT_EQ(Tree("c?t~"), "b:c?t");
  EXPECT_EQ(Tree("*~"), "*:*");
  EXPECT_EQ(Tree("/ca./~2"), "b:/ca./");
  EXPECT_EQ(Tree("/CA./~2"), "b:/CA./");
}

TEST_F(QueryLeafTest, FoldsExpressionsOfTextWhereItIsAskedTo) {
  builder_.set_folds_regexps(true);
  EXPECT_EQ(Tree("/[A-C]AT.\\D/"), "b:/[a-c]at.\\d/");
  ColumnKnowledge columns;
  columns.type_of = [](std::string_view) { return std::optional(FieldType::kKeyword); };
  builder_.set_columns(std::move(columns));
  EXPECT_EQ(Tree("/[A-C]AT/", true), "b:/[A-C]AT/");
}

}  // namespace query_leaf_test
}  // namespace pmdex
