// Writes the sections of an uncompressed segment from a compressed one: the part of
// convert_segment.h that fills the file. Belongs to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

// An upper bound of the size of the sections that only an uncompressed segment has. Requires a
// compressed source. Returns kDataLoss if bytes of its dictionary or its ids are damaged.
absl::StatusOr<uint64_t> MostUncompressedBytes(const Segment& source);

// Fills and closes the file. Requires a compressed source. Returns kDataLoss if bytes of the source
// are damaged.
absl::Status DecompressInto(SegmentFileWriter& file, const Segment& source, uint64_t segment_id);

}  // namespace pmdex
