// What a manifest says of one segment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pmdex {

// Ids of segments are below it, so that counting up never wraps around.
inline constexpr uint64_t kSegmentIdLimit = uint64_t{1} << 63;

enum class Tier : uint8_t { kUncompressed = 0, kCompressed = 1 };

struct ManifestSegment {
  uint64_t id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint32_t doc_count = 0;
  Tier tier = Tier::kUncompressed;
  uint64_t live_docs_generation = 0;  // 0: every document lives (others: reserved)
};

// What is wrong with the ids of the listed segments, visible and pending, and of the next one: one
// is listed twice, or the next id is not greater than all of them and at most kSegmentIdLimit.
// nullopt when all is well.
std::optional<std::string> FaultOfSegmentIds(std::span<const ManifestSegment> visible,
                                             std::span<const ManifestSegment> pending,
                                             uint64_t next_segment_id);

}  // namespace pmdex
