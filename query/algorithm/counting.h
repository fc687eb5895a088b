// Counts matches without scores: it combines the documents of the clauses as bits, a window at a
// time, and counts the bits. Thread-safe, except that one thread at a time may use an OpenQuery.
#pragma once

#include <cstdint>

#include "pmem/status.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/algorithm/search_context.h"
#include "query/planning/search_plan.h"

namespace pmdex {

struct MatchCount {
  // Exact if it is at most the limit. If it is greater, at least so many documents match.
  uint64_t count = 0;
  bool timed_out = false;  // the deadline came first: at least `count` documents match
};

// How many documents of the snapshot match: from statistics if the plan says
// CountMethod::kFromStatistics, else in a pass of its own over all segments, which ends beyond the
// plan's limit. kDataLoss as SearchExhaustively.
absl::StatusOr<MatchCount> CountMatches(const SearchContext& context);

// How many documents of one segment match. query: opened with `segment`. plan: PlanSegmentSearch's
// for the query. Beyond `limit` it stops. Reports damage to the context.
MatchCount CountOpen(const OpenQuery& query, const SegmentSearchPlan& plan, SegmentContext& segment,
                     uint64_t limit = UINT64_MAX);

}  // namespace pmdex
