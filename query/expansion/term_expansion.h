// What a prefix, a wildcard or a regular expression stands for in one segment: the documents of
// every term that matches. Thread-safe: no state; the context is the caller's own.
#pragma once

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/cursor/doc_set.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/planner.h"

namespace pmdex {

// Of a bound query of kind kPrefix, kWildcard or kRegexp. Finished; empty when the segment does not
// have the field. Costs a pass over the terms that begin like the pattern, and over their docids.
// Where the context's deadline ends it, the context says so, and the set is a part of what it
// should be. kDataLoss when a dictionary is damaged; docids that are go to the context's damage.
absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context);

// Whether the segment may have terms that a query of kind kPrefix, kWildcard or kRegexp stands for
// in its field: where it says no, there are none, unless the watch is over. An expression is
// compiled. Costs a look into the ordered dictionary, a few hundred terms of it, or for an
// expression the way to the first that matches. kDataLoss when the dictionary is damaged.
absl::StatusOr<bool> MayHaveTerms(const Query& query, const Segment& segment, DeadlineWatch& watch);

}  // namespace pmdex
