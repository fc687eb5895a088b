// Binds a query tree to a snapshot: the first step of every search.
//
//   query tree -> BindQuery -> PlanSearch (planner.h) -> SearchPruned or SearchExhaustively
//
// A word without a field becomes one clause for each field whose dictionaries have it, in the order
// of the fields' names. A field that does not have the word costs one look-up.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/shared_expansions.h"
#include "query/language/query.h"
#include "query/planning/bound_query.h"
#include "query/similarity.h"

namespace pmdex {

// A bound query and what it was bound to. Only the expansions change after BindQuery, and they are
// safe to share, so that any number of threads may use one QueryBinding. The snapshot must outlive
// it.
struct QueryBinding {
  const Snapshot* snapshot = nullptr;
  SimilarityKind similarity = SimilarityKind::kBm25;
  // Of kind kNone if the binding timed out: some of the terms would be another query.
  std::unique_ptr<BoundQuery> root;
  std::map<std::string, std::unique_ptr<LengthTable>, std::less<>> lengths;  // by field
  bool timed_out = false;  // the deadline came while words were looked up or expanded
  // The documents of patterns, filled in while the query is answered.
  std::unique_ptr<SharedExpansions> expansions = std::make_unique<SharedExpansions>();
};

// BindQuery refuses deeper trees, because cursors nest as the tree does.
inline constexpr size_t kMaxQueryDepth = 256;

// kInvalidArgument: a phrase on an index without positions, too many edits, a tree that is too
// deep, a regular expression that cannot be compiled, or boosts that make infinite scores.
// kDataLoss: a damaged dictionary.
absl::StatusOr<QueryBinding> BindQuery(const Query& query, const Snapshot& snapshot,
                                       SimilarityKind kind,
                                       const Deadline& deadline = std::nullopt);

}  // namespace pmdex
