// Estimates what a query costs before it is answered, so that a server can keep cheap queries from
// waiting behind heavy ones. Thread-safe: no state.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/language/query.h"
#include "query/planning/search_plan.h"

namespace pmdex {

// True if a part of the query is a prefix, a wildcard or a regular expression. What their documents
// cost is not known before their terms are found.
bool HasPatterns(const Query& query);

// About how many postings the plan makes its search read, and the terms that prefixes and wildcards
// make it look at, but not their postings. A posting of a phrase counts several times, because it
// has positions; a posting of a single term counts less than once, because a kernel filters many of
// them at a time.
uint64_t EstimateCost(const SearchPlan& plan, const Snapshot& snapshot);

// About the time of a search of this cost.
std::chrono::nanoseconds TimeOfCost(uint64_t cost);

// kOutOfRange.
absl::Status TooHeavy();
// TooHeavy if binding the query costs much: it has fuzzy words, or ids and the snapshot has no
// table of ids yet.
absl::Status RefuseCostlyBinding(const Query& query, const Snapshot& snapshot);
// TooHeavy if the plan costs more; without a limit never.
absl::Status RefuseCostlyPlan(const SearchPlan& plan, const Snapshot& snapshot,
                              std::optional<uint64_t> most_cost);

}  // namespace pmdex
