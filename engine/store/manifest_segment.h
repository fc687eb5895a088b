// A segment as a manifest lists it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pmdex {

// All ids of segments are less than this, so that the next id never wraps around.
inline constexpr uint64_t kSegmentIdLimit = uint64_t{1} << 63;

enum class Tier : uint8_t { kUncompressed = 0, kCompressed = 1 };

struct ManifestSegment {
  uint64_t id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint32_t doc_count = 0;
  Tier tier = Tier::kUncompressed;
  uint64_t live_docs_generation = 0;  // reserved: 0, and no document is deleted
};

// Checks that no segment is listed twice, and that next_segment_id is greater than all listed ids
// and at most kSegmentIdLimit. Returns what is wrong, or nullopt.
std::optional<std::string> FaultOfSegmentIds(std::span<const ManifestSegment> visible,
                                             std::span<const ManifestSegment> pending,
                                             uint64_t next_segment_id);

}  // namespace pmdex
