#include "query/planning/query_cost.h"

#include <algorithm>
#include <optional>

#include "query/planning/bound_query.h"

namespace pmdex {
namespace {

constexpr uint64_t kCostOfPhraseCandidate = 16;
constexpr uint64_t kTermPostingsPerCost = 8;
constexpr uint64_t kDocsPerCost = 64;       // where all documents match, which takes a bit for each
constexpr uint64_t kFieldDocsPerCost = 16;  // where a length code of each document is read

uint64_t CostOf(const BoundQuery& query, const Snapshot& snapshot) {
  uint64_t cost = 0;
  switch (query.kind) {
    case BoundKind::kTerm:
      return query.terms[0].df;
    case BoundKind::kPhrase:
    case BoundKind::kPhrasePrefix:
      cost = snapshot.doc_count();
      for (const BoundTerm& term : query.terms) cost = std::min(cost, term.df);
      return cost * kCostOfPhraseCandidate;
    case BoundKind::kAll:
      return snapshot.doc_count() / kDocsPerCost;
    case BoundKind::kField:
      return snapshot.doc_count() / kFieldDocsPerCost;
    case BoundKind::kIds:
      return query.ids.size();
    case BoundKind::kBoolean:
    case BoundKind::kConstantScore:
    case BoundKind::kDisjunctionMax:
      for (const BoundClause& clause : query.clauses) cost += CostOf(*clause.query, snapshot);
      return cost;
    default:
      return snapshot.doc_count();
  }
}

uint64_t CostOfClause(const FlatClause& clause, const Snapshot& snapshot) {
  uint64_t cost = 0;
  for (const FlatLeaf& leaf : clause.leaves) cost += CostOf(*leaf.query, snapshot);
  return cost;
}

bool CountsMatches(CountMethod method) {
  return method != CountMethod::kNone && method != CountMethod::kFromStatistics;
}

}  // namespace

bool HasPatterns(const Query& query) {
  switch (query.kind) {
    case QueryKind::kPrefix:
    case QueryKind::kWildcard:
    case QueryKind::kFuzzy:
    case QueryKind::kRegexp:
    case QueryKind::kIds:
      return true;
    default:
      return std::any_of(query.clauses.begin(), query.clauses.end(),
                         [](const Clause& clause) { return HasPatterns(*clause.query); });
  }
}

uint64_t EstimateCost(const SearchPlan& plan, const Snapshot& snapshot) {
  if (!plan.reads_lists) return 0;
  uint64_t all = 0;
  std::optional<uint64_t> least_required;
  for (const FlatClause& clause : plan.clauses) {
    const uint64_t cost = CostOfClause(clause, snapshot);
    all += cost;
    if (IsRequired(clause.occur)) {
      least_required = std::min(cost, least_required.value_or(cost));
    }
  }
  if (CountsMatches(plan.count) || plan.algorithm == Algorithm::kExhaustive) return all;
  if (plan.algorithm == Algorithm::kSingleTerm) return all / kTermPostingsPerCost;
  // The rarest required clause leads, and the others are only asked about its documents.
  if (least_required.has_value()) return std::min(all, *least_required * plan.clauses.size());
  return all;
}

}  // namespace pmdex
