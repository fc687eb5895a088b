// Finds the k best documents of a query without scoring every match. It carries out the plan: one
// thread searches segment after segment with the planned algorithm, or several threads share the
// work (parallel_search.h). The result equals that of the exhaustive search: the same documents,
// the same scores to the bit, the same order. Thread-safe: no state.
#pragma once

#include "pmem/status.h"
#include "query/algorithm/pruned_docs.h"
#include "query/algorithm/search_context.h"

namespace pmdex {

// Requires a plan for any algorithm but kExhaustive. Finds nothing for kNone. kDataLoss as
// SearchExhaustively.
absl::StatusOr<PrunedDocs> SearchPruned(const SearchContext& context);

}  // namespace pmdex
