// Queries all of whose documents score the same, because they are one prefix, one wildcard, all
// documents, or those of a field: the best are the first ones, so nothing behind the k-th is looked
// at, neither for bounds nor for scores.
//
// Thread-safe: no state.
#pragma once

#include "pmem/status.h"
#include "query/algorithm/pruned_search.h"
#include "query/planning/query_binder.h"
#include "query/result/top_k.h"

namespace pmdex {

bool ScoresConstantly(const BoundQuery& query);

// Adds the first documents of the segment until `top` is full. Segments come in order. Requires
// ScoresConstantly(*plan.root), IsPrunable.
absl::Status SearchConstant(const Plan& plan, size_t segment, const BlockMaxOptions& options,
                            TopK& top, PrunedDocs& result);

}  // namespace pmdex
