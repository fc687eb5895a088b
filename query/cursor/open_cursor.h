// Opens the cursors of a bound query in one segment, for the exhaustive search and for
// explanations. Thread-safe: no state.
#pragma once

#include <cstddef>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/cursor/sloppy_phrase.h"
#include "query/planning/bound_query.h"

namespace pmdex {

// segment_index: the segment's place in the snapshot. A Status reports damage that opening finds;
// the context receives damage that the cursor meets later. The context and the query must outlive
// the cursor.
absl::StatusOr<CursorPointer> OpenCursor(const BoundQuery& query, const Segment& segment,
                                         size_t segment_index, CursorContext& context);

// The matcher of a phrase or phrase prefix with slop.
SloppyPhraseMatcher SloppyMatcherOf(const BoundQuery& phrase);

}  // namespace pmdex
