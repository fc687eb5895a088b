// The pruned search on several threads. They take ranges of windows in turn and share the highest
// minimum competitive score that any of them has. Each has documents of its own, which are put
// together at the end. With context.nodes each thread is bound to a NUMA node and takes the ranges
// of segments there first; it takes those of other nodes when none is left, so that no thread waits
// while there is work. The calling thread stays where it is. Thread-safe: no state.
#pragma once

#include "pmem/status.h"
#include "query/algorithm/pruned_docs.h"
#include "query/algorithm/search_context.h"

namespace pmdex {

// Starts plan.threads threads and waits for them. Requires a plan for Algorithm::kMaxScoreWindows
// that does not count with the ranking. kDataLoss as SearchExhaustively.
absl::StatusOr<PrunedDocs> SearchInParallel(const SearchContext& context);

// The index in nodes.nodes() of the node for a thread: `first`, where the caller is, for thread 0,
// and for the others those that have segments, in turn, from the one behind `first` on. Pure.
size_t NodeOfThread(const SegmentNodes& nodes, size_t first, size_t thread);

}  // namespace pmdex
