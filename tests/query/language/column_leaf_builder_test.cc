#include "query/language/column_leaf_builder.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/analysis/analyzer.h"
#include "query/columns/column_range.h"
#include "query/columns/snapshot_columns.h"
#include "query/language/query_parser.h"
#include "tests/support/column_index.h"

namespace pmdex {
namespace column_leaf_builder_test {

// The query as the parser understands it.
std::string Parsed(const std::string& text) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  QueryParser parser(*analyzer);
  ColumnKnowledge knowledge;
  knowledge.type_of = [](std::string_view field) -> std::optional<FieldType> {
    if (field == "size") return FieldType::kI64;
    if (field == "level") return FieldType::kKeyword;
    if (field == "body") return FieldType::kText;
    return std::nullopt;
  };
  parser.SetColumns(knowledge);
  const auto query = parser.Parse(text);
  return query.ok() ? ToString(**query) : std::string(Message(query.status()));
}

TEST(ColumnLeafBuilder, KeepsValuesAsTheyAreWritten) {
  EXPECT_EQ(Parsed("size:[1 TO 5}^2"), "size:[1 TO 5}^2");
  EXPECT_EQ(Parsed("level:(Error OR WARN)"), "(level:Error level:WARN)");
  EXPECT_EQ(Parsed("+size:>=-5 -size:<\"7\""), "(+size:>=-5 -size:<\"7\")");
  EXPECT_EQ(Parsed("size:(>1 AND <5)"), "(+size:>1 +size:<5)");
  EXPECT_EQ(Parsed("size:( [1 TO 2] OR [5 TO *] )"), "(size:[1 TO 2] size:[5 TO *])");
  EXPECT_EQ(Parsed("body:Word other:-5"), "(body:word other:5)");
  EXPECT_EQ(Parsed("absent:[a TO b]"), "absent:[a TO b]");
}

TEST(ColumnLeafBuilder, KnowsTheTypesOfASnapshot) {
  const ColumnIndex index = MakeColumnIndex(1, {300, 20});
  EXPECT_EQ(TypeOfField(*index.snapshot, "f"), FieldType::kF64);
  EXPECT_EQ(TypeOfField(*index.snapshot, "level"), FieldType::kKeyword);
  EXPECT_EQ(TypeOfField(*index.snapshot, "body"), FieldType::kText);
  EXPECT_EQ(TypeOfField(*index.snapshot, "absent"), std::nullopt);
  const ColumnKnowledge knowledge = KnowledgeOf(*index.snapshot);
  EXPECT_EQ(knowledge.TypeOf("time"), FieldType::kDate);
  EXPECT_GT(knowledge.now, 1'600'000'000'000'000'000);
  QueryToken word;
  word.kind = QueryTokenKind::kWord;
  EXPECT_TRUE(IsColumnLeaf(word, "time", knowledge));
  EXPECT_FALSE(IsColumnLeaf(word, "body", knowledge));
  word.kind = QueryTokenKind::kRange;
  EXPECT_TRUE(IsColumnLeaf(word, "body", knowledge));
}

}  // namespace column_leaf_builder_test
}  // namespace pmdex
