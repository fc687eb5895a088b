// Writes a SegmentInput as one sealed segment file, from front to back. The file is durable, and a
// manifest may name it, once the directory's Sync has returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/segment/segment_input.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The facts of a segment that the manifest holds, and how it was persisted.
struct SegmentFileInfo {
  std::string file_name;
  uint64_t segment_id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;  // covers the section table, and its checksums all sections
  uint32_t doc_count = 0;
  uint64_t term_count = 0;
  uint64_t posting_count = 0;
  uint64_t token_count = 0;
  PersistCounters persist;
};

std::string SegmentFileName(uint64_t segment_id);  // "segment-0000000000000001.pmdex"
// The id in a name that is exactly the SegmentFileName of that id; nullopt for other names.
std::optional<uint64_t> ParseSegmentFileName(std::string_view name);

// Writes the file SegmentFileName(segment_id). The file has that name with ".tmp" behind it until
// it is sealed. writer_memory.h says how much memory it takes. Thread-safe for different ids.
// Returns kInternal if the input breaks its contract, kInvalidArgument if it is more than a segment
// can hold, and the errors of the directory (kResourceExhausted without enough space). After an
// error it removes the temporary file if it can.
absl::StatusOr<SegmentFileInfo> WriteSegment(Directory& directory, uint64_t segment_id,
                                             SegmentInput& input);

}  // namespace pmdex
