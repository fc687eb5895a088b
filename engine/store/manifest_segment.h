// What a manifest says of one segment.
#pragma once

#include <cstdint>

namespace pmdex {

enum class Tier : uint8_t { kUncompressed = 0, kCompressed = 1 };

struct ManifestSegment {
  uint64_t id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint32_t doc_count = 0;
  Tier tier = Tier::kUncompressed;
  uint64_t live_docs_generation = 0;  // 0: every document lives (others: reserved)
};

}  // namespace pmdex
