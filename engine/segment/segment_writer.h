// Flush: a SegmentInput becomes one sealed segment file, written front to back. The file appears
// under its final name; it is durable and may be listed in a manifest after the directory's Sync.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/segment/segment_input.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// What the manifest records of a segment.
struct SegmentFileInfo {
  std::string file_name;
  uint64_t segment_id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;  // covers the section table, and through it every section
  uint32_t doc_count = 0;
  uint64_t term_count = 0;
  uint64_t posting_count = 0;
  uint64_t token_count = 0;
  PersistCounters persist;
};

std::string SegmentFileName(uint64_t segment_id);  // "segment-0000000000000001.pmdex"
// The id, when the name is exactly what SegmentFileName makes of it.
std::optional<uint64_t> ParseSegmentFileName(std::string_view name);

// Writes SegmentFileName(segment_id) through a ".tmp" name that is renamed once sealed. Extra
// memory: writer_memory.h. Thread-safe for different ids. kInternal when the input breaks its
// contract, kInvalidArgument when it is more than a segment holds, else what the directory says
// (kResourceExhausted: no space); the temporary file is removed then as far as possible.
absl::StatusOr<SegmentFileInfo> WriteSegment(Directory& directory, uint64_t segment_id,
                                             SegmentInput& input);

}  // namespace pmdex
