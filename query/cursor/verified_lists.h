// Posting lists and norms on their way from a segment, with looks at the deadline: who reads a long
// list first in a process verifies its pages, which takes a pass over it. Thread-safe: no state;
// the context is the caller's own.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"

namespace pmdex {

// As Segment::Postings, which see. An empty list once the context says that time is over.
absl::StatusOr<PostingListView> PostingsInTime(const Segment& segment, const DictionaryEntry& entry,
                                               ListParts parts, CursorContext& context);
// As Segment::norms, likewise.
absl::StatusOr<std::span<const uint8_t>> NormsInTime(const Segment& segment, FieldId field,
                                                     CursorContext& context);

}  // namespace pmdex
