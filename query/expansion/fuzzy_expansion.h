// Expands a fuzzy word to the terms of all segments that are within its edits. If there are more
// than kMaxFuzzyTerms, only the most similar terms stay, as in Lucene: further terms would cost
// more than they add to the result.
//
// The planner calls it: query tree -> BindQuery -> ExpandFuzzy. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/bound_query.h"

namespace pmdex {

// The most terms of one fuzzy word. If there are more, those with the greatest similarity stay, and
// among equal ones those that come first in byte order.
inline constexpr size_t kMaxFuzzyTerms = 50;

// How many of its nearest terms a fuzzy word stands for. kInvalidArgument if it has more than
// FuzzyAutomaton::kMaxEdits edits.
absl::StatusOr<size_t> MostFuzzyTerms(const Query& query);

// The part of a fuzzy word that every term must begin with.
std::string_view FixedPrefix(const Query& query);

struct FuzzyExpansion {
  float similarity = 0;  // FuzzyPattern::Similarity; may be below 0
  BoundTerm term;        // df: of this term alone, over all segments
};

// The terms, in byte order. The result is incomplete if the watch is over on return.
// kInvalidArgument if the word has more than FuzzyAutomaton::kMaxEdits edits, kDataLoss if a
// dictionary is damaged.
absl::StatusOr<std::vector<FuzzyExpansion>> ExpandFuzzy(const Query& query,
                                                        const Snapshot& snapshot,
                                                        DeadlineWatch& watch);

}  // namespace pmdex
