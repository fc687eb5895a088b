#include "query/planning/flat_query.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

bool IsUnion(const BoundQuery& query) {
  return query.kind == BoundKind::kBoolean && query.minimum_should_match == 0 &&
         std::all_of(query.clauses.begin(), query.clauses.end(),
                     [](const BoundClause& clause) { return clause.occur == Occur::kShould; });
}

// Adds the leaves of one sum. The clauses of a union are leaves of their own.
void AddSum(const BoundQuery& query, uint32_t sum, std::vector<FlatLeaf>& leaves) {
  if (!IsUnion(query)) return leaves.push_back({&query, sum});
  for (const BoundClause& clause : query.clauses) leaves.push_back({clause.query.get(), sum});
}

void AddLeaves(const BoundQuery& query, std::vector<FlatLeaf>& leaves) {
  if (!IsUnion(query)) return AddSum(query, 0, leaves);
  uint32_t sum = 0;
  for (const BoundClause& clause : query.clauses) AddSum(*clause.query, sum++, leaves);
}

// Removes the segments that lack a word without which the leaf has no document there.
void KeepSegmentsWithWords(const BoundQuery& leaf, SegmentSet& segments) {
  if (leaf.kind != BoundKind::kTerm && leaf.kind != BoundKind::kPhrase) return;
  for (const BoundTerm& term : leaf.terms) segments.And(term.entries.segments());
}

}  // namespace

std::vector<FlatClause> Flatten(const BoundQuery& root) {
  std::vector<FlatClause> clauses;
  if (root.kind == BoundKind::kNone) return clauses;
  if (root.kind != BoundKind::kBoolean) {
    clauses.push_back({Occur::kMust, {{&root, 0}}});
    return clauses;
  }
  clauses.reserve(root.clauses.size());
  for (const BoundClause& clause : root.clauses) {
    FlatClause& flat = clauses.emplace_back(FlatClause{clause.occur, {}});
    if (clause.occur == Occur::kFilter) {
      flat.leaves.push_back({clause.query.get(), 0});
    } else {
      AddLeaves(*clause.query, flat.leaves);
    }
  }
  return clauses;
}

SegmentSet FindCandidateSegments(std::span<const FlatClause> clauses, size_t segments) {
  SegmentSet candidates = SegmentSet::All(segments);
  for (const FlatClause& clause : clauses) {
    if (!IsRequired(clause.occur)) continue;
    if (clause.leaves.size() == 1) {
      KeepSegmentsWithWords(*clause.leaves[0].query, candidates);
      continue;
    }
    SegmentSet any;
    for (const FlatLeaf& leaf : clause.leaves) {
      SegmentSet of_leaf = candidates;
      KeepSegmentsWithWords(*leaf.query, of_leaf);
      any.Or(of_leaf);
    }
    candidates.And(any);
  }
  return candidates;
}

}  // namespace pmdex
