// The search of one segment for a query whose matches all score the same: one prefix, wildcard or
// regular expression, every document, or the documents that have a field. The best documents are
// the first ones, so that nothing behind the k-th is read. Thread-safe: no state.
#pragma once

#include <cstddef>

#include "pmem/status.h"
#include "query/algorithm/pruned_docs.h"
#include "query/algorithm/search_context.h"
#include "query/result/top_k.h"

namespace pmdex {

// Adds the first documents of one segment until `top` is full, and what it did to `result`. Call it
// for the segments in index order. Requires a plan for Algorithm::kConstantScore. kDataLoss if a
// list of the pattern is damaged.
absl::Status SearchConstant(const SearchContext& search, size_t segment, TopK& top,
                            PrunedDocs& result);

}  // namespace pmdex
