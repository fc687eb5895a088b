// What a query will surely read, asked of the medium before any of it is read: the dictionary
// entries of all its words, then the lists of all its terms, over all segments. On a disk a query
// then waits twice instead of once a page; in memory, entries come into the cache of the processor
// together. Nothing is verified or believed here: what does not exist or is damaged shows when it
// is read. Thread-safe: no state.
#pragma once

#include "engine/store/snapshot.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/query_binder.h"
#include "query/planning/segment_set.h"

namespace pmdex {

// Prefetches the dictionary entries of the words in `query`, if there are several. Stops at the
// deadline.
void PrefetchTerms(const Query& query, const Snapshot& snapshot, const Deadline& deadline = {});
// Prefetches the posting lists of the terms, and for a phrase the positions that are compared
// first. segments: SearchPlan::segments. Stops at the deadline.
void PrefetchLists(const QueryBinding& binding, const SegmentSet& segments,
                   const Deadline& deadline = {});

}  // namespace pmdex
