#include "query/planning/bound_clauses.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace bound_clauses_test {

// A field query of that name; "none" matches nothing.
BoundPointer Leaf(const std::string& name, float boost = 1) {
  auto leaf = NewBoundQuery(name == "none" ? BoundKind::kNone : BoundKind::kField, boost);
  leaf->field = name;
  return leaf;
}

// clauses: a sign for each occur, then a name: "+a", "#b", "-c", "d".
BoundPointer Boolean(const std::vector<std::string>& clauses, uint32_t minimum = 0) {
  std::vector<BoundClause> bound;
  for (const std::string& clause : clauses) {
    const Occur occur = clause[0] == '+'   ? Occur::kMust
                        : clause[0] == '#' ? Occur::kFilter
                        : clause[0] == '-' ? Occur::kMustNot
                                           : Occur::kShould;
    bound.push_back({occur, Leaf(clause.substr(occur == Occur::kShould ? 0 : 1))});
  }
  return BooleanOf(std::move(bound), minimum, 1);
}

TEST(BoundClauses, LeaveOutWhatMatchesNothing) {
  EXPECT_EQ(ToText(*Boolean({"a", "none", "b"})), "(a:* b:*)");
  EXPECT_EQ(ToText(*Boolean({"+a", "none", "-none"})), "a:*");
  for (const auto& nothing : std::vector<std::vector<std::string>>{
           {}, {"none"}, {"+none", "a"}, {"#none", "a"}, {"none", "-a"}}) {
    EXPECT_EQ(Boolean(nothing)->kind, BoundKind::kNone);
  }
  EXPECT_EQ(ToText(*Boolean({"-a"})), "(+*:* -a:*)");
  EXPECT_EQ(ToText(*Boolean({"-none"})), "*:*");
  EXPECT_EQ(ToText(*Boolean({"#a", "-b"})), "(#a:* -b:*)");
}

TEST(BoundClauses, RequireAMinimumOfOptionalClauses) {
  EXPECT_EQ(ToText(*Boolean({"a", "b", "c"}, 2)), "(a:* b:* c:*)~2");
  EXPECT_EQ(ToText(*Boolean({"a", "b", "c"}, 3)), "(+a:* +b:* +c:*)");
  EXPECT_EQ(ToText(*Boolean({"a", "b", "none"}, 2)), "(+a:* +b:*)");
  EXPECT_EQ(ToText(*Boolean({"a", "b"}, 1)), "(a:* b:*)");
  EXPECT_EQ(ToText(*Boolean({"+a", "b", "c"}, 1)), "(+a:* b:* c:*)~1");
  EXPECT_EQ(ToText(*Boolean({"#a", "b"}, 1)), "(#a:* +b:*)");
  for (const uint32_t minimum : {1, 2, 9}) {
    EXPECT_EQ(Boolean({"none", "-a"}, minimum)->kind, BoundKind::kNone);
    EXPECT_EQ(Boolean({"+a", "-b"}, minimum)->kind, BoundKind::kNone);
  }
  EXPECT_EQ(Boolean({"a", "b"}, 3)->kind, BoundKind::kNone);
}

TEST(BoundClauses, GiveADocumentAConstantScore) {
  EXPECT_EQ(ConstantScoreOf(Leaf("none", 0), 2)->kind, BoundKind::kNone);
  const BoundPointer field = ConstantScoreOf(Leaf("a", 0), 2);
  EXPECT_EQ(field->kind, BoundKind::kField);
  EXPECT_EQ(field->boost, 2);
  const BoundPointer group = ConstantScoreOf(Boolean({"a", "b"}), 2);
  EXPECT_EQ(ToText(*group), "ConstantScore((a:* b:*))");
  EXPECT_EQ(ConstantScoreOf(Boolean({"a", "b"}), 0)->kind, BoundKind::kBoolean);
}

TEST(BoundClauses, TakeTheBestOfSeveral) {
  const auto best = [](const std::vector<std::string>& names, float tie_breaker) {
    std::vector<BoundClause> clauses;
    for (const std::string& name : names) clauses.push_back({Occur::kShould, Leaf(name)});
    return DisjunctionMaxOf(std::move(clauses), tie_breaker, 1);
  };
  EXPECT_EQ(ToText(*best({"a", "none", "b"}, 0.3f)), "(a:* | b:*)");
  EXPECT_EQ(ToText(*best({"none", "b"}, 0.3f)), "b:*");
  EXPECT_EQ(ToText(*best({"a", "b"}, 1)), "(a:* b:*)");
  EXPECT_EQ(best({}, 0)->kind, BoundKind::kNone);
}

}  // namespace bound_clauses_test
}  // namespace pmdex
