// Which segments a search reads: what SegmentHeat counts. Thread-safe: no state.
#pragma once

#include "query/planning/query_binding.h"
#include "query/planning/segment_set.h"

namespace pmdex {

// The segments that have a word of the query. With a part without words, such as a pattern, that
// must be looked for everywhere, these are all.
SegmentSet ReadSegments(const QueryBinding& binding);

}  // namespace pmdex
