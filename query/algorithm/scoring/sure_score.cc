#include "query/algorithm/scoring/sure_score.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pmdex {
namespace {

constexpr float kNotKnown = -std::numeric_limits<float>::infinity();

// The terms each of whose documents is a hit, if it scores enough.
std::vector<const BoundQuery*> SufficientTerms(const SearchPlan& plan) {
  std::vector<const BoundQuery*> terms;
  size_t required = 0;
  for (const FlatClause& clause : plan.clauses) {
    if (clause.occur == Occur::kMustNot) return terms;
    required += IsRequired(clause.occur) ? 1 : 0;
  }
  if (plan.minimum_should_match != 0 || required > 1) return terms;
  for (const FlatClause& clause : plan.clauses) {
    if (!IsScored(clause.occur) || IsRequired(clause.occur) != (required == 1)) continue;
    for (const FlatLeaf& leaf : clause.leaves) {
      if (leaf.query->kind == BoundKind::kTerm) terms.push_back(leaf.query);
    }
  }
  return terms;
}

// The index of the first of the best points that at least so many postings reach.
std::optional<size_t> KindFor(uint64_t postings) {
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    if (kBestPointCounts[kind] >= postings) return kind;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<float> FindSureScore(const SearchContext& context) {
  float sure = kNotKnown;
  const SearchPlan& plan = context.plan;
  if (plan.algorithm == Algorithm::kConstantScore || plan.limits.after.has_value()) return sure;
  const std::vector<const BoundQuery*> terms = SufficientTerms(plan);
  if (terms.empty()) return sure;
  const Snapshot& snapshot = *context.binding.snapshot;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    const LiveDocs* const live_docs = snapshot.live_docs(i);
    const uint64_t deleted = live_docs == nullptr ? 0 : live_docs->deleted_count();
    const std::optional<size_t> kind = KindFor(plan.k + deleted);
    if (!kind.has_value()) continue;
    for (const BoundQuery* const term : terms) {
      const DictionaryEntry* const entry = term->terms[0].entries[i];
      if (entry == nullptr || entry->df <= kBlockPostings) continue;
      PMDEX_ASSIGN_OR_RETURN(const BestPoints best, segment.Checked(segment.BestOf(*entry)));
      if (best.tf[*kind] == 0) continue;
      sure = std::max(sure, term->scorer.Score(best.tf[*kind], best.length_code[*kind]));
    }
  }
  return sure;
}

}  // namespace pmdex
