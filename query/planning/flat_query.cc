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

// False if the segment lacks a word without which the leaf has no document there.
bool HasWords(const FlatLeaf& leaf, size_t segment) {
  const BoundQuery& query = *leaf.query;
  if (query.kind != BoundKind::kTerm && query.kind != BoundKind::kPhrase) return true;
  return std::all_of(query.terms.begin(), query.terms.end(),
                     [segment](const BoundTerm& term) { return term.entries[segment] != nullptr; });
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

bool LacksRequiredWords(std::span<const FlatClause> clauses, size_t segment) {
  return std::any_of(clauses.begin(), clauses.end(), [segment](const FlatClause& clause) {
    return IsRequired(clause.occur) &&
           std::none_of(clause.leaves.begin(), clause.leaves.end(),
                        [segment](const FlatLeaf& leaf) { return HasWords(leaf, segment); });
  });
}

}  // namespace pmdex
