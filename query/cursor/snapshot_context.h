// The cursor context of one segment of a snapshot. Every search of a snapshot makes its contexts
// here, so that each of them knows the deleted documents. Thread-safe: no state.
#pragma once

#include <cstddef>

#include "engine/store/snapshot.h"
#include "query/cursor/cursor.h"
#include "query/deadline.h"

namespace pmdex {

// The snapshot must outlive the context.
inline CursorContext CursorContextOf(const Snapshot& snapshot, size_t segment,
                                     const Deadline& deadline = std::nullopt) {
  const Segment& searched = *snapshot.segments()[segment];
  CursorContext context{searched.doc_count(), searched.file_name(), absl::OkStatus(), deadline};
  const LiveDocs* const live_docs = snapshot.live_docs(segment);
  if (live_docs != nullptr && live_docs->deleted_count() != 0) context.live_docs = live_docs;
  context.segment_id = searched.segment_id();
  return context;
}

// False if all documents of the segment are deleted, so that nothing can match in it.
inline bool HasLiveDocs(const Snapshot& snapshot, size_t segment) {
  const LiveDocs* const live_docs = snapshot.live_docs(segment);
  return live_docs == nullptr || live_docs->live_count() != 0;
}

}  // namespace pmdex
