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

std::unique_ptr<Query> Combination(QueryKind kind) {
  auto query = std::make_unique<Query>();
  query->kind = kind;
  query->clauses.push_back({Occur::kFilter, Leaf(QueryKind::kTerm, "body", "a")});
  query->clauses.push_back({Occur::kShould, Leaf(QueryKind::kTerm, "body", "b")});
  return query;
}

TEST(QueryToString, WritesCombinationsAsLuceneDoes) {
  auto boolean = Combination(QueryKind::kBoolean);
  boolean->minimum_should_match = 1;
  EXPECT_EQ(ToString(*boolean), "(#body:a body:b)~1");
  auto best = Combination(QueryKind::kDisjunctionMax);
  EXPECT_EQ(ToString(*best), "(body:a | body:b)");
  best->tie_breaker = 0.3f;
  best->boost = 2;
  EXPECT_EQ(ToString(*best), "(body:a | body:b)~0.3^2");
  auto constant = Combination(QueryKind::kConstantScore);
  constant->clauses.pop_back();
  constant->boost = 1.5f;
  EXPECT_EQ(ToString(*constant), "ConstantScore(body:a)^1.5");
}

TEST(QueryToString, WritesIdsFieldsAndPhrasePrefixes) {
  auto ids = Leaf(QueryKind::kIds, "", "");
  ids->terms = {"a", "b c"};
  EXPECT_EQ(ToString(*ids), "_id:(a b\\ c)");
  EXPECT_EQ(ToString(*Leaf(QueryKind::kExists, "body", "")), "body:*");
  auto phrase = Leaf(QueryKind::kPhrasePrefix, "body", "");
  phrase->terms = {"red", "ap"};
  phrase->offsets = {0, 1};
  phrase->slop = 1;
  EXPECT_EQ(ToString(*phrase), "body:\"red ap*\"~1");
}

}  // namespace query_test
}  // namespace pmdex
