#include "query/algorithm/flat_query.h"

#include <utility>

namespace pmdex {
namespace {

bool IsLeaf(const BoundQuery& query) {
  return query.kind != BoundKind::kNone && query.kind != BoundKind::kBoolean;
}

// The leaves of one sum; false when it is more than a union of them.
bool AddSum(const BoundQuery& query, uint32_t sum, std::vector<FlatLeaf>& leaves) {
  if (IsLeaf(query)) {
    leaves.push_back({&query, sum});
    return true;
  }
  if (query.kind != BoundKind::kBoolean) return false;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur != Occur::kShould || !IsLeaf(*clause.query)) return false;
    leaves.push_back({clause.query.get(), sum});
  }
  return true;
}

// The leaves of one clause; false when it is more than a union of such sums.
bool AddLeaves(const BoundQuery& query, std::vector<FlatLeaf>& leaves) {
  if (IsLeaf(query)) return AddSum(query, 0, leaves);
  if (query.kind != BoundKind::kBoolean) return false;
  uint32_t sum = 0;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur != Occur::kShould || !AddSum(*clause.query, sum++, leaves)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<FlatClause>> Flatten(const BoundQuery& root) {
  std::vector<FlatClause> clauses;
  if (IsLeaf(root)) {
    clauses.push_back({Occur::kMust, {{&root, 0}}});
    return clauses;
  }
  if (root.kind != BoundKind::kBoolean) return std::nullopt;
  for (const BoundClause& clause : root.clauses) {
    FlatClause flat{clause.occur, {}};
    if (!AddLeaves(*clause.query, flat.leaves)) return std::nullopt;
    clauses.push_back(std::move(flat));
  }
  return clauses;
}

}  // namespace pmdex
