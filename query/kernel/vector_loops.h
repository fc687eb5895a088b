// Loops that are the same for every width of vector; the instructions come from a type of the level
// that compiles them. Only kernels_avx2.cc and kernels_avx512.cc include this header. Internal
// linkage on purpose, as score_loops.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/segment/format.h"
#include "query/kernel/kernel_types.h"
#include "query/kernel/window_bits.h"

namespace pmdex {
namespace {

// The lowest n bits, all of them for n >= 64.
inline uint64_t LowBits(uint32_t n) {
  return _bzhi_u64(~uint64_t{0}, n < 64 ? n : 64);
}

// A Table of LeastFreqs has
//   uint64_t PassingPostings(freqs, codes)   bit i: posting i of 64 passes
//   kBlocks                                  how many blocks a vector holds
//   uint32_t PassingBlocks(blocks, n)        bit i: block i of n passes; n is at most kBlocks
template <typename Table>
void FilterPostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const LeastFreqs& least,
                    uint64_t* mask) {
  const Table table(least);
  for (uint32_t i = 0; i < n; i += 64) {
    mask[i / 64] = table.PassingPostings(freqs + i, codes + i) & LowBits(n - i);
  }
}

template <typename Table>
void FilterBlocks(const BoundPoints* blocks, uint32_t n, const LeastFreqs& least, uint64_t* mask) {
  const Table table(least);
  for (uint32_t i = 0; i < (n + 63) / 64; ++i) mask[i] = 0;
  for (uint32_t i = 0; i < n; i += Table::kBlocks) {
    const uint64_t passing = table.PassingBlocks(blocks + i, std::min(n - i, Table::kBlocks));
    mask[i / 64] |= passing << (i % 64);
  }
}

// Lanes holds a bound, a Number, in kLanes lanes. IsReachedBy(values): bit i says that values[i] >=
// the bound.
template <typename Lanes, typename Number, typename Sums>
void KeepSums(const Sums& sums, Number least, WindowBits& bits) {
  const Lanes bound(least);
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (bits.words[word] == 0) continue;
    uint64_t reaches = 0;
    for (size_t bit = 0; bit < 64; bit += Lanes::kLanes) {
      reaches |= uint64_t{bound.IsReachedBy(sums.of.data() + word * 64 + bit)} << bit;
    }
    bits.words[word] &= reaches;
  }
}

}  // namespace
}  // namespace pmdex
