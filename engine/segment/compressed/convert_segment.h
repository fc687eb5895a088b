// Converts a segment between the uncompressed and the compressed tier. Both have the same
// documents, dictionary and bounds; a compressed one holds its postings and positions in units
// (unit_format.h). A segment that is compressed and then decompressed under its own id has the
// bytes that it had.
//
// The file is written front to back, as segment_writer.h writes one: it is durable, and a manifest
// may name it, once the directory's Sync has returned. Memory: some MiB, eight bytes a block of 256
// postings, five bytes for 256 positions and for eight documents, eight bytes an entry of the
// dictionary, and six bytes a posting of the longest list and two a position of it.
//
// Thread-safe for different ids. The source is only read, and may be searched meanwhile.
#pragma once

#include <cstdint>

#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Write `source` to the directory as the file SegmentFileName(segment_id), which has ".tmp" behind
// its name until it is sealed. Return kInvalidArgument if the source has that form already or is
// more than a segment of the other form can hold, kDataLoss if bytes of the source are damaged, and
// the errors of the directory (kResourceExhausted without enough space). After an error they remove
// the temporary file if they can.
absl::StatusOr<SegmentFileInfo> WriteCompressedSegment(const Segment& source, Directory& directory,
                                                       uint64_t segment_id);
absl::StatusOr<SegmentFileInfo> WriteUncompressedSegment(const Segment& source,
                                                         Directory& directory, uint64_t segment_id);

}  // namespace pmdex
