// Finds the documents of one segment that have one of several ids. A segment has no index of its
// ids, so that this reads all of them. Stateless, thread-safe.
#pragma once

#include <span>
#include <string>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/cursor/doc_set.h"
#include "query/deadline.h"

namespace pmdex {

// Adds every document that has one of the ids; if ids repeat, all documents with them. Adds only
// some of them once the watch is over. kDataLoss if ids of the segment are damaged.
absl::Status AddDocumentsOfIds(std::span<const std::string> ids, const Segment& segment,
                               CursorContext& context, DeadlineWatch& watch, DocSet& docs);

}  // namespace pmdex
