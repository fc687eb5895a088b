// Loops over positions: the reference's walk over two lists, and what the vector levels do with
// blocks of their width. Internal linkage on purpose, as score_loops.h.
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

// By blocks of positions: Blocks(run).Has(position) says whether the run has it, for ascending
// positions.
template <typename Blocks>
uint32_t KeepStartsIn(uint16_t* starts, uint32_t n, const uint16_t* positions, uint32_t m,
                      uint32_t offset) {
  Blocks blocks(PositionRun(positions, m));
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const uint16_t start = starts[i];
    starts[kept] = start;
    kept += blocks.Has(start + offset) ? 1 : 0;
  }
  return kept;
}

// The shorter run's positions one by one.
template <typename Blocks>
void CountPairsIn(const PositionRun* a, const PositionRun* b, uint32_t n, int32_t distance,
                  uint8_t* counts) {
  for (uint32_t i = 0; i < n; ++i) {
    const bool a_is_shorter = a[i].size() <= b[i].size();
    const PositionRun few = a_is_shorter ? a[i] : b[i];
    const int32_t by = a_is_shorter ? distance : -distance;
    Blocks blocks(a_is_shorter ? b[i] : a[i]);
    uint32_t count = 0;
    for (const uint16_t position : few) {
      const int32_t wanted = position + by;
      count += wanted >= 0 && blocks.Has(static_cast<uint32_t>(wanted)) ? 1 : 0;
    }
    counts[i] = PairCount(few, count);
  }
}

}  // namespace
}  // namespace pmdex
