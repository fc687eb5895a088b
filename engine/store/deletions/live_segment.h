// An open segment with its live documents, as whoever looks for documents to delete reads it.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"

namespace pmdex {

struct LiveSegment {
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const LiveDocs> live_docs;  // nullptr: all documents are live
  // The id under which the manifest lists the segment, which IndexWriter::Delete takes. Where a
  // kept copy answers for the segment, segment->segment_id() is that of the copy.
  uint64_t listed_id = 0;
};

}  // namespace pmdex
