// Binds a query tree to a snapshot: the first step of every search.
//
//   query tree -> BindQuery -> PlanSearch (planner.h) -> SearchPruned or SearchExhaustively
//
// A word without a field becomes one clause for each field whose dictionaries have it, in the order
// of the fields' names. A field that does not have the word costs one look-up.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/query_binding.h"
#include "query/similarity.h"

namespace pmdex {

// BindQuery refuses deeper trees, because cursors nest as the tree does.
inline constexpr size_t kMaxQueryDepth = 256;

// kInvalidArgument: a phrase on an index without positions, too many edits, a tree that is too
// deep, a regular expression that cannot be compiled, a constant score without one clause, a tie
// breaker beyond 0 to 1, or boosts that make infinite scores.
// kDataLoss: a damaged dictionary.
absl::StatusOr<QueryBinding> BindQuery(const Query& query, const Snapshot& snapshot,
                                       SimilarityChoice similarity,
                                       const Deadline& deadline = std::nullopt);

}  // namespace pmdex
