// Estimates what a query costs before it is answered, so that a server can keep cheap queries from
// waiting behind heavy ones. Thread-safe: no state.
#pragma once

#include <cstdint>

#include "engine/store/snapshot.h"
#include "query/language/query.h"
#include "query/planning/search_plan.h"

namespace pmdex {

// True if a part of the query stands for many terms: a prefix, a wildcard, a fuzzy word or a
// regular expression; or if it has ids, the first of which make the table of all ids. Binding
// alone may then cost more than answering most queries.
bool HasPatterns(const Query& query);

// About how many postings the plan makes its search read. A posting of a phrase counts several
// times, because it has positions; a posting of a single term counts less than once, because a
// kernel filters many of them at a time.
uint64_t EstimateCost(const SearchPlan& plan, const Snapshot& snapshot);

}  // namespace pmdex
