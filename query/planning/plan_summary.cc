#include "query/planning/plan_summary.h"

#include <utility>

namespace pmdex {
namespace {

std::string_view ToString(Occur occur) {
  switch (occur) {
    case Occur::kMust:
      return "must";
    case Occur::kShould:
      return "should";
    case Occur::kMustNot:
      return "must_not";
    case Occur::kFilter:
      return "filter";
  }
  return "";
}

std::string ToText(const FlatClause& clause) {
  if (clause.leaves.size() == 1) return pmdex::ToText(*clause.leaves[0].query);
  std::string text = "(";
  for (const FlatLeaf& leaf : clause.leaves) {
    if (text.size() > 1) text += ' ';
    text += pmdex::ToText(*leaf.query);
  }
  return text + ")";
}

}  // namespace

PlanSummary Summarize(const SearchPlan& plan, std::span<const Algorithm> segments) {
  PlanSummary summary;
  summary.algorithm = pmdex::ToString(plan.algorithm);
  for (size_t i = 0; i < plan.clauses.size(); ++i) {
    const FlatClause& clause = plan.clauses[i];
    summary.clauses.push_back({ToString(clause.occur), ToText(clause), plan.estimates[i]});
  }
  summary.count = pmdex::ToString(plan.count);
  summary.threads = plan.threads;
  for (const Algorithm algorithm : segments) {
    summary.segments.push_back(pmdex::ToString(algorithm));
  }
  return summary;
}

}  // namespace pmdex
