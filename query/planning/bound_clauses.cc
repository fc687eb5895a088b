#include "query/planning/bound_clauses.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

bool IsNone(const BoundClause& clause) {
  return clause.query->kind == BoundKind::kNone;
}

bool IsPositive(const BoundClause& clause) {
  return clause.occur != Occur::kMustNot;
}

}  // namespace

BoundPointer BooleanOf(std::vector<BoundClause> clauses, uint32_t minimum, float boost) {
  const auto none = [boost] { return NewBoundQuery(BoundKind::kNone, boost); };
  const bool only_prohibits =
      minimum == 0 && !clauses.empty() && std::none_of(clauses.begin(), clauses.end(), IsPositive);
  const auto fails = [](const BoundClause& clause) {
    return IsNone(clause) && IsRequired(clause.occur);
  };
  if (std::any_of(clauses.begin(), clauses.end(), fails)) return none();
  std::erase_if(clauses, IsNone);
  if (only_prohibits) {
    clauses.insert(clauses.begin(),
                   BoundClause{Occur::kMust, NewBoundQuery(BoundKind::kAll, boost)});
  } else if (std::none_of(clauses.begin(), clauses.end(), IsPositive)) {
    return none();
  }
  const auto optional =
      std::count_if(clauses.begin(), clauses.end(),
                    [](const BoundClause& clause) { return clause.occur == Occur::kShould; });
  if (optional < minimum) return none();
  if (minimum != 0 && optional == minimum) {
    for (BoundClause& clause : clauses) {
      if (clause.occur == Occur::kShould) clause.occur = Occur::kMust;
    }
    minimum = 0;
  }
  const bool has_required =
      std::any_of(clauses.begin(), clauses.end(),
                  [](const BoundClause& clause) { return IsRequired(clause.occur); });
  if (minimum == 1 && !has_required) minimum = 0;  // the same rule
  if (clauses.size() == 1) return std::move(clauses[0].query);
  auto bound = NewBoundQuery(BoundKind::kBoolean, boost);
  const bool is_scored = std::any_of(clauses.begin(), clauses.end(), [](const BoundClause& clause) {
    return IsScored(clause.occur);
  });
  if (!is_scored) bound->boost = 0;
  bound->clauses = std::move(clauses);
  bound->minimum_should_match = minimum;
  return bound;
}

BoundPointer ConstantScoreOf(BoundPointer filter, float score) {
  if (score == 0) return filter;  // it scores 0 already
  if (filter->kind == BoundKind::kNone || HasConstantScore(filter->kind)) {
    filter->boost = score;
    return filter;
  }
  auto bound = NewBoundQuery(BoundKind::kConstantScore, score);
  bound->clauses.push_back({Occur::kFilter, std::move(filter)});
  return bound;
}

BoundPointer DisjunctionMaxOf(std::vector<BoundClause> clauses, float tie_breaker, float boost) {
  std::erase_if(clauses, IsNone);
  if (clauses.empty()) return NewBoundQuery(BoundKind::kNone, boost);
  if (clauses.size() == 1) return std::move(clauses[0].query);
  auto bound =
      NewBoundQuery(tie_breaker == 1 ? BoundKind::kBoolean : BoundKind::kDisjunctionMax, boost);
  bound->clauses = std::move(clauses);
  bound->tie_breaker = tie_breaker;
  return bound;
}

}  // namespace pmdex
