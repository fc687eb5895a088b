#include "query/kernel/custom_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "query/kernel/score_loops.h"

namespace pmdex {
namespace {

float FreqOf(uint8_t freq, float escape_freq) {
  return freq == kFreqEscape ? escape_freq : static_cast<float>(freq);
}

// The least frequency that reaches the score at this length; kFreqEscape if none below it does.
// Requires that scores do not fall when the frequency grows.
uint8_t LeastFreq(const TermScorer& scorer, float needed, uint8_t code) {
  uint32_t low = 1;
  uint32_t high = kFreqEscape;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (scorer.Score(static_cast<float>(middle), code) >= needed) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<uint8_t>(low);
}

void LeastFreqsByFormula(const TermScorer& scorer, float needed, LeastFreqs& table) {
  if (needed <= 0) return table.least.fill(0);
  for (size_t code = 0; code < table.least.size(); ++code) {
    table.least[code] = LeastFreq(scorer, needed, static_cast<uint8_t>(code));
  }
}

void LeastFreqsBesideByFormula(const TermScorer& scorer, float needed, const LengthBounds& others,
                               LeastFreqs& table) {
  constexpr float kWidened = 1.00001f;  // more than the error of a sum of scores
  for (size_t code = 0; code < table.least.size(); ++code) {
    const float rest = needed - others.of[code] * kWidened;
    table.least[code] =
        rest <= 0 ? uint8_t{0} : LeastFreq(scorer, rest / kWidened, static_cast<uint8_t>(code));
  }
}

void LengthBoundsByFormula(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                           float escape_freq, LengthBounds& bounds) {
  uint8_t most[256];
  GreatestFreqs(blocks, n, most);
  for (size_t code = 0; code < bounds.of.size(); ++code) {
    bounds.of[code] =
        most[code] == 0 ? 0
                        : scorer.Score(FreqOf(most[code], escape_freq), static_cast<uint8_t>(code));
  }
}

void BlockBoundsByFormula(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                          float escape_freq, float* out) {
  for (uint32_t i = 0; i < n; ++i) {
    out[i] = 0;
    for (int p = 0; p < 4; ++p) {
      const uint8_t freq = blocks[i].tf[p];
      if (freq == 0) continue;  // no point
      out[i] = std::max(out[i], scorer.Score(FreqOf(freq, escape_freq), blocks[i].length_code[p]));
    }
  }
}

void ScorePostingsByFormula(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                            const TermScorer& scorer, float escape_freq, float* out) {
  for (uint32_t i = 0; i < n; ++i) out[i] = scorer.Score(FreqOf(freqs[i], escape_freq), codes[i]);
}

QueryKernels WithFormulas(QueryKernels kernels) {
  kernels.least_freqs = LeastFreqsByFormula;
  kernels.least_freqs_beside = LeastFreqsBesideByFormula;
  kernels.length_bounds = LengthBoundsByFormula;
  kernels.block_bounds = BlockBoundsByFormula;
  kernels.score_postings = ScorePostingsByFormula;
  return kernels;
}

template <SimdLevel kLevel>
const QueryKernels& KernelsOfLevel() {
  static const QueryKernels kernels = WithFormulas(QueryKernelsOf(kLevel));
  return kernels;
}

}  // namespace

const QueryKernels& CustomQueryKernels(SimdLevel level) {
  switch (level) {
    case SimdLevel::kAvx512:
      return KernelsOfLevel<SimdLevel::kAvx512>();
    case SimdLevel::kAvx2:
      return KernelsOfLevel<SimdLevel::kAvx2>();
    case SimdLevel::kScalar:
      break;
  }
  return KernelsOfLevel<SimdLevel::kScalar>();
}

}  // namespace pmdex
