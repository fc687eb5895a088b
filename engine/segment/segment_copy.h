// Copies a segment to another file under another id, for example to another directory. Only the
// header page differs: it holds the id and the checksum of the page. Thread-safe for different ids.
#pragma once

#include <cstdint>

#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Writes the file SegmentFileName(segment_id), as WriteSegment does and with the same durability.
// Reads the source from front to back and releases what it has read. Returns kDataLoss if a page of
// the source is damaged, and the errors of the directory (kResourceExhausted without enough space).
// After an error it removes the temporary file if it can.
absl::StatusOr<SegmentFileInfo> CopySegment(const Segment& source, Directory& directory,
                                            uint64_t segment_id);

}  // namespace pmdex
