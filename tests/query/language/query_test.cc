#include "query/language/query.h"

#include <memory>
#include <utility>

#include "gtest/gtest.h"

namespace pmdex {
namespace query_test {

std::unique_ptr<Query> Leaf(QueryKind kind, std::string field, std::string text) {
  auto query = std::make_unique<Query>();
  query->kind = kind;
  query->field = std::move(field);
  query->text = std::move(text);
  return query;
}

TEST(QueryToString, WritesClausesWithTheirSigns) {
  Query query;
  query.kind = QueryKind::kBoolean;
  query.clauses.push_back({Occur::kMust, Leaf(QueryKind::kTerm, "body", "a")});
  query.clauses.push_back({Occur::kMustNot, Leaf(QueryKind::kPrefix, "body", "pre")});
  query.clauses.push_back({Occur::kShould, Leaf(QueryKind::kWildcard, "body", "te?t*")});
  query.boost = 2.5f;
  EXPECT_EQ(ToString(query), "(+body:a -body:pre* body:te?t*)^2.5");
}

TEST(QueryToString, ShowsGapsAndSlopOfAPhrase) {
  Query query;
  query.kind = QueryKind::kPhrase;
  query.field = "body";
  query.terms = {"b", "c"};
  query.offsets = {0, 2};
  query.slop = 2;
  query.boost = 2;
  EXPECT_EQ(ToString(query), "body:\"b ? c\"~2^2");
}

TEST(QueryToString, EscapesWhatHasAMeaning) {
  EXPECT_EQ(ToString(*Leaf(QueryKind::kTerm, "a b", "x:y*")), "a\\ b:x\\:y\\*");
}

TEST(QueryToString, NamesTheKindsWithoutWords) {
  Query none;
  EXPECT_EQ(ToString(none), "<nothing>");
  Query all;
  all.kind = QueryKind::kAll;
  EXPECT_EQ(ToString(all), "*:*");
  auto fuzzy = Leaf(QueryKind::kFuzzy, "f", "wor");
  fuzzy->edits = 1;
  EXPECT_EQ(ToString(*fuzzy), "f:wor~1");
}

}  // namespace query_test
}  // namespace pmdex
