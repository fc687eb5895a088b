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

template <typename Formula>
void Bounds(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer, float escape_freq,
            float* out) {
  for (uint32_t i = 0; i < n; ++i) {
    float bound = 0;
    for (int p = 0; p < 4; ++p) {
      const uint8_t tf = blocks[i].tf[p];
      const float freq = tf == 255 ? escape_freq : static_cast<float>(tf);
      const float length = (*scorer.lengths)[blocks[i].length_code[p]];
      bound = std::max(bound, Formula::Score(scorer.weight, freq, length));
    }
    out[i] = bound;
  }
}

void BlockBounds(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer, float escape_freq,
                 float* out) {
  if (scorer.kind == SimilarityKind::kBm25) {
    Bounds<Bm25Formula>(blocks, n, scorer, escape_freq, out);
  } else {
    Bounds<TfidfFormula>(blocks, n, scorer, escape_freq, out);
  }
}

template <typename Formula>
void Scores(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const TermScorer& scorer,
            float escape_freq, float* out) {
  for (uint32_t i = 0; i < n; ++i) {
    const float freq = freqs[i] == kFreqEscape ? escape_freq : static_cast<float>(freqs[i]);
    out[i] = Formula::Score(scorer.weight, freq, (*scorer.lengths)[codes[i]]);
  }
}

void ScorePostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const TermScorer& scorer,
                   float escape_freq, float* out) {
  if (scorer.kind == SimilarityKind::kBm25) {
    Scores<Bm25Formula>(freqs, codes, n, scorer, escape_freq, out);
  } else {
    Scores<TfidfFormula>(freqs, codes, n, scorer, escape_freq, out);
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
      SimdLevel::kScalar, FillLeastFreqs, FilterPostings, FilterBlocks, BlockBounds,
      ScorePostings,      KeepSums,       MergeStarts,    CountPairs,   Deposit};
  return kKernels;
}

}  // namespace pmdex
