// The walk over two lists of positions that every level has for long ones. Internal linkage on
// purpose, as score_loops.h.
#pragma once

#include <cstdint>

#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

// Both ascend: one walk over them, without branches on the values.
[[maybe_unused]] uint32_t MergeStarts(uint16_t* starts, uint32_t n, const uint16_t* positions,
                                      uint32_t m, uint32_t offset) {
  uint32_t kept = 0;
  for (uint32_t i = 0, j = 0; i < n && j < m;) {
    const uint16_t start = starts[i];
    const uint32_t wanted = start + offset;
    const uint32_t position = positions[j];
    starts[kept] = start;
    kept += wanted == position ? 1 : 0;
    i += wanted <= position ? 1 : 0;
    j += position <= wanted ? 1 : 0;
  }
  return kept;
}

[[maybe_unused]] uint32_t MergePair(PositionRun a, PositionRun b, int32_t distance) {
  uint32_t count = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int32_t wanted = a[i] + distance;
    const int32_t position = b[j];
    count += wanted == position ? 1 : 0;
    i += wanted <= position ? 1 : 0;
    j += position <= wanted ? 1 : 0;
  }
  return count;
}

[[maybe_unused]] uint8_t PairCount(PositionRun a, uint32_t count) {
  return static_cast<uint8_t>(a.empty() || count > kManyPairs ? kManyPairs : count);
}

}  // namespace
}  // namespace pmdex
