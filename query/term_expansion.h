// What a prefix, a wildcard or a regular expression stands for in one segment: the documents of
// every term that matches. Thread-safe: no state; the context is the caller's own.
#pragma once

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor.h"
#include "query/doc_set.h"
#include "query/planner.h"

namespace pmdex {

// Of a bound query of kind kPrefix, kWildcard or kRegexp. Finished; empty when the segment does not
// have the field. Costs a pass over the terms that begin like the pattern, and over their docids.
// Where the context's deadline ends it, the context says so, and the set is a part of what it
// should be. kDataLoss when a dictionary is damaged; docids that are go to the context's damage.
absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context);

}  // namespace pmdex
