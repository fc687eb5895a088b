// Copies one generation of an index into another directory: a backup. The source may be written
// meanwhile; the snapshot keeps its generation.
#pragma once

#include <functional>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

// Writes a copy of every segment, whose pages are verified on the way, with its deleted documents.
// Segments of all places come into one directory and keep their tiers. The copy becomes visible
// when the caller publishes. stop: asked between segments; copying ends with kCancelled once it
// returns true. May be empty. Returns kDataLoss if a segment is damaged or quarantined, and the
// errors of IndexWriter::AddCopy and Delete.
absl::Status CopyIndex(const Snapshot& source, const std::function<bool()>& stop,
                       IndexWriter& writer);

}  // namespace pmdex
