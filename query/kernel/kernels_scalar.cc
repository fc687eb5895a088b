// The reference: what every other level must equal.
#include <algorithm>
#include <bit>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"

namespace pmdex {
namespace {

void FilterPostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const LeastFreqs& table,
                    uint64_t* mask) {
  std::fill_n(mask, (n + 63) / 64, 0);
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t passes = freqs[i] >= table.least[codes[i]] ? 1 : 0;
    mask[i / 64] |= passes << (i % 64);
  }
}

void FilterBlocks(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table, uint64_t* mask) {
  std::fill_n(mask, (n + 63) / 64, 0);
  for (uint32_t i = 0; i < n; ++i) {
    bool passes = false;
    for (int p = 0; p < 4; ++p) {
      passes |= blocks[i].tf[p] >= table.least[blocks[i].length_code[p]];
    }
    mask[i / 64] |= uint64_t{passes} << (i % 64);
  }
}

void AddScores(const uint64_t* documents, const float* scores, WindowSums& sums) {
  for (size_t i = 0; i < kWindowWords; ++i) {
    for (uint64_t word = documents[i]; word != 0; word &= word - 1) {
      sums.of[i * 64 + static_cast<size_t>(std::countr_zero(word))] += *scores++;
    }
  }
}

void KeepSums(const WindowSums& sums, float least, WindowBits& bits) {
  for (size_t word = 0; word < kWindowWords; ++word) {
    for (size_t bit = 0; bit < 64; ++bit) {
      const uint64_t falls_short = sums.of[word * 64 + bit] < least ? 1 : 0;
      bits.words[word] &= ~(falls_short << bit);
    }
  }
}

void CountPairs(const PositionRun* a, const PositionRun* b, uint32_t n, int32_t distance,
                uint8_t* counts) {
  for (uint32_t i = 0; i < n; ++i) {
    counts[i] = PairCount(a[i].size() < b[i].size() ? a[i] : b[i], MergePair(a[i], b[i], distance));
  }
}

void Deposit(const uint64_t* documents, const uint64_t* mask, WindowBits& out) {
  uint32_t number = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    for (uint64_t word = documents[i]; word != 0; word &= word - 1, ++number) {
      const uint64_t kept = mask[number / 64] >> (number % 64) & 1;
      out.words[i] |= kept << std::countr_zero(word);
    }
  }
}

}  // namespace

const QueryKernels& ScalarQueryKernels() {
  static constexpr QueryKernels kKernels = {
      SimdLevel::kScalar, FillLeastFreqs, FilterPostings, FilterBlocks,
      ComputeBlockBounds, ComputeScores,  AddScores,      KeepSums,
      MergeStarts,        CountPairs,     Deposit};
  return kKernels;
}

}  // namespace pmdex
