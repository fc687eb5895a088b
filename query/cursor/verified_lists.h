// Opens posting lists and norms of a segment under a deadline. The first reader in a process
// verifies the checksums of a list's pages, which takes a pass over it; for a long list these
// functions do that in pieces and check the deadline in between. Stateless, thread-safe; the
// context belongs to the calling thread.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"

namespace pmdex {

// Like Segment::Postings. Returns an empty list if the context timed out.
absl::StatusOr<PostingListView> PostingsInTime(const Segment& segment, const DictionaryEntry& entry,
                                               ListParts parts, CursorContext& context,
                                               ListLoading loading = ListLoading::kWhole);
// Like Segment::norms. Returns an empty span if the context timed out.
absl::StatusOr<std::span<const uint8_t>> NormsInTime(const Segment& segment, FieldId field,
                                                     CursorContext& context);

}  // namespace pmdex
