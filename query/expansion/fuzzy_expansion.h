// What a fuzzy word stands for in a whole snapshot: the terms of all segments that are within its
// edits, and of too many only the most similar ones. Lucene has the same limit and the same choice:
// beyond it, a term adds less to what is found than to what it costs.
//
// The planner's part: query tree -> BindQuery -> ExpandFuzzy. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/planner.h"

namespace pmdex {

// Terms of one fuzzy word. Of more, those with the greatest similarity stay, of equal ones the
// first in byte order.
inline constexpr size_t kMaxFuzzyTerms = 50;

struct FuzzyExpansion {
  float similarity = 0;  // FuzzyPattern::Similarity; may be below 0
  BoundTerm term;        // df: its own, over all segments
};

// In byte order of the terms. Less than it should be once the watch is over. kInvalidArgument: more
// than FuzzyAutomaton::kMaxEdits. kDataLoss: a damaged dictionary.
absl::StatusOr<std::vector<FuzzyExpansion>> ExpandFuzzy(const Query& query,
                                                        const Snapshot& snapshot,
                                                        DeadlineWatch& watch);

}  // namespace pmdex
