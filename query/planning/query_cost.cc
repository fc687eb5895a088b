#include "query/planning/query_cost.h"

#include <algorithm>
#include <optional>

#include "query/expansion/term_expansion.h"
#include "query/planning/bound_query.h"

namespace pmdex {
namespace {

constexpr uint64_t kCostOfPhraseCandidate = 16;
constexpr uint64_t kCostOfTerm = 10;  // that a pattern looks at
constexpr uint64_t kTermPostingsPerCost = 8;
constexpr uint64_t kDocsPerCost = 64;       // where all documents match, which takes a bit for each
constexpr uint64_t kFieldDocsPerCost = 16;  // where a length code or a value of each is read
constexpr uint64_t kNanosecondsPerCost = 8;

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
    case BoundKind::kRange:
      return snapshot.doc_count() / kFieldDocsPerCost;
    case BoundKind::kIds:
      return query.ids.size();
    case BoundKind::kBoolean:
    case BoundKind::kConstantScore:
    case BoundKind::kDisjunctionMax:
      for (const BoundClause& clause : query.clauses) cost += CostOf(*clause.query, snapshot);
      return cost;
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
      for (const auto& segment : snapshot.segments()) cost += EstimateTerms(query, *segment);
      return cost * kCostOfTerm;
    default:
      return 0;
  }
}

uint64_t CostOfClause(const FlatClause& clause, const Snapshot& snapshot) {
  uint64_t cost = 0;
  for (const FlatLeaf& leaf : clause.leaves) cost += CostOf(*leaf.query, snapshot);
  return cost;
}

// True if a part of the query is of this kind.
bool Has(QueryKind kind, const Query& query) {
  return query.kind == kind ||
         std::any_of(query.clauses.begin(), query.clauses.end(),
                     [kind](const Clause& clause) { return Has(kind, *clause.query); });
}

bool CountsMatches(CountMethod method) {
  return method != CountMethod::kNone && method != CountMethod::kFromStatistics;
}

}  // namespace

bool HasPatterns(const Query& query) {
  return Has(QueryKind::kPrefix, query) || Has(QueryKind::kWildcard, query) ||
         Has(QueryKind::kRegexp, query);
}

absl::Status TooHeavy() {
  return absl::OutOfRangeError("the query costs more than the caller allows");
}

absl::Status RefuseCostlyBinding(const Query& query, const Snapshot& snapshot) {
  const bool makes_ids = !snapshot.HasIdTable() && Has(QueryKind::kIds, query);
  return makes_ids || Has(QueryKind::kFuzzy, query) ? TooHeavy() : absl::OkStatus();
}

absl::Status RefuseCostlyPlan(const SearchPlan& plan, const Snapshot& snapshot,
                              std::optional<uint64_t> most_cost) {
  const bool is_heavy = most_cost.has_value() && EstimateCost(plan, snapshot) > *most_cost;
  return is_heavy ? TooHeavy() : absl::OkStatus();
}

std::chrono::nanoseconds TimeOfCost(uint64_t cost) {
  constexpr auto kMost =
      static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::hours(1)).count());
  return std::chrono::nanoseconds(std::min(cost, kMost / kNanosecondsPerCost) *
                                  kNanosecondsPerCost);
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
