// Divides a large set of ids by their hashes, so that a part of it fits into memory: the caller
// passes over all ids several times, each time with one part. A plain value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pmdex {

// One of several passes: the hashes whose upper half falls into the pass.
struct HashPass {
  uint64_t number = 0;
  uint64_t count = 1;
  bool Has(uint64_t hash) const { return (hash >> 32) * count >> 32 == number; }

  // How many passes there must be, so that each takes about so much memory.
  static uint64_t CountFor(uint64_t total_bytes, uint64_t memory_bytes) {
    return total_bytes / std::max<uint64_t>(memory_bytes, 1) + 1;
  }
};

}  // namespace pmdex
