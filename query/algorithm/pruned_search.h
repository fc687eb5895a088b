// The k best documents of a flat query without scoring every match: MaxScore over windows of
// documents.
//
// Every leaf knows a bound of its scores for each window. Windows whose bounds together cannot
// reach what the k-th best document has are not looked at; in the others, a leaf offers only
// documents that could still make it if all the other leaves gave their bound, filtered by
// frequency and length alone. What is left is scored exactly, in the order of the sum that the
// exhaustive evaluator has: same documents, same scores, same order.
//
// The windows with the greatest bounds come first, for a high threshold early; then the rest in
// order. A deadline is looked at between windows. Several threads take ranges of windows in turn
// and share the best threshold that any of them has. Where a required term is rare, its postings
// are followed instead of windows (lead_search.h).
//
// After: H. Turtle, J. Flood, Query evaluation: strategies and optimizations, 1995 (MaxScore);
// S. Ding, T. Suel, Faster top-k document retrieval using block-max indexes, SIGIR 2011; and
// Lucene's MaxScoreBulkScorer for the windows.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "query/algorithm/exhaustive.h"
#include "query/deadline.h"
#include "query/kernel/kernels.h"
#include "query/planning/flat_query.h"
#include "query/planning/query_binder.h"

namespace pmdex {

struct BlockMaxOptions {
  size_t k = 10;  // at least 1
  const QueryKernels* kernels = &BestQueryKernels();
  Deadline deadline = std::nullopt;
  // Score every match, so that PrunedDocs::scored is their exact number: for queries whose matches
  // cost much more to find than to score (phrases).
  bool score_all = false;
  // Count the matches of clauses while they are open, which costs less than to do so later:
  // PrunedDocs::matches. Threads that share a query do not.
  bool count_matches = false;
  // Threads that share the work of a long query, by ranges of windows: of one that may look at so
  // many postings. For less, to start a thread costs more than it gains.
  size_t threads = 1;
  uint64_t least_parallel_work = uint64_t{1} << 22;
  uint32_t windows_per_range = 64;
};

struct PrunedDocs {
  std::vector<ScoredDoc> docs;  // score descending, ties by earlier document
  uint64_t scored = 0;          // documents that were found to match: no more than there are
  bool timed_out = false;       // the deadline came first; docs: the best so far
  // How many documents match, at least so many when timed_out; nullopt when nobody counted.
  std::optional<uint64_t> matches = std::nullopt;
};

// Whether the query can be answered so, and better than exhaustively: something can match, no
// weight is below zero, and no word is in hundreds of fields. There a document is in few of the
// lists, and bounds that add up all of them leave nothing out.
bool IsPrunable(const Plan& plan, const std::optional<std::vector<FlatClause>>& flat);

// Requires IsPrunable. kDataLoss as in SearchExhaustively.
absl::StatusOr<PrunedDocs> SearchBlockMax(const Plan& plan, std::span<const FlatClause> flat,
                                          const BlockMaxOptions& options);

}  // namespace pmdex
