// Writes the sections of a compressed segment from an uncompressed one: the part of
// convert_segment.h that fills the file. Belongs to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

// An upper bound of the size of the sections that only a compressed segment has, if its lists and
// positions take `eighths` eighths of what they take in the source. Requires an uncompressed
// source.
uint64_t MostCompressedBytes(const Segment& source, uint64_t eighths);

// Fills and closes the file. Requires an uncompressed source. The file has overrun if its capacity
// is too small. Returns kDataLoss if bytes of the source are damaged.
absl::Status CompressInto(SegmentFileWriter& file, const Segment& source, uint64_t segment_id);

}  // namespace pmdex
