// Loops over the formulas of query/similarity.h. Every level compiles them for its own instruction
// set. They have internal linkage on purpose, so that each kernel file has its own copy. They are
// compiled without fused multiply-add, so that all levels compute the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/segment/format.h"
#include "query/kernel/kernel_types.h"
#include "query/similarity.h"

namespace pmdex {
namespace {

// Freq(): approximately the frequency at which the score reaches `needed`. Requires needed > 0 and
// IsReachable(). Rounding makes it inexact, but by far less than 1 in the range 1..255.
struct Bm25Inverse {
  static float Freq(float weight, float needed, float length) {
    return needed / (weight - needed) / length;
  }
  static float Score(float weight, float freq, float length) {
    return weight - weight / (1.0f + freq * length);
  }
  static bool IsReachable(float weight, float needed) { return needed < weight; }
};
struct TfidfInverse {
  static float Freq(float weight, float needed, float length) {
    const float root = needed / (weight * length);
    return root * root;
  }
  static float Score(float weight, float freq, float length) {
    return __builtin_sqrtf(freq) * weight * length;
  }
  static bool IsReachable(float weight, float) { return weight > 0; }
};

// Tries three frequencies, from one below the estimate on, and takes the first that reaches the
// score.
template <typename Formula>
void LeastFreqsOf(float weight, float needed, const LengthTable& lengths, LeastFreqs& table) {
  for (size_t code = 0; code < lengths.size(); ++code) {
    const float length = lengths[code];
    const float estimate = Formula::Freq(weight, needed, length);
    const float first = std::max(1.0f, __builtin_floorf(std::min(estimate, 255.0f)) - 1.0f);
    const float second = first + 1.0f;
    float least = Formula::Score(weight, first, length) >= needed ? first : second;
    least = Formula::Score(weight, second, length) >= needed ? least : second + 1.0f;
    table.least[code] = static_cast<uint8_t>(static_cast<int32_t>(std::min(least, 255.0f)));
  }
}

[[maybe_unused]] void FillLeastFreqs(const TermScorer& scorer, float needed, LeastFreqs& table) {
  if (needed <= 0) {
    table.least.fill(0);
  } else if (scorer.kind == SimilarityKind::kBm25) {
    if (!Bm25Inverse::IsReachable(scorer.weight, needed)) return table.least.fill(kFreqEscape);
    LeastFreqsOf<Bm25Inverse>(scorer.weight, needed, *scorer.lengths, table);
  } else {
    if (!TfidfInverse::IsReachable(scorer.weight, needed)) return table.least.fill(kFreqEscape);
    LeastFreqsOf<TfidfInverse>(scorer.weight, needed, *scorer.lengths, table);
  }
}

// Lowers the estimate by more than its error (kExact, kPart). So scores need not be checked, which
// would take twice the time.
template <typename Formula>
void LeastFreqsBesideOf(float weight, float needed, const LengthTable& lengths,
                        const LengthBounds& others, LeastFreqs& table) {
  constexpr float kWidened = 1.00001f;
  constexpr float kExact = 0.9999f;
  constexpr float kPart = 0.03f;
  for (size_t code = 0; code < lengths.size(); ++code) {
    const float rest = needed - others.of[code] * kWidened;
    const float estimate = Formula::Freq(weight, rest, lengths[code]) * kExact - kPart;
    const float least = __builtin_ceilf(std::min(std::max(estimate, 0.0f), 255.0f));
    const float reached = Formula::IsReachable(weight, rest) ? least : 255.0f;
    table.least[code] = static_cast<uint8_t>(static_cast<int32_t>(rest <= 0 ? 0.0f : reached));
  }
}

[[maybe_unused]] void FillLeastFreqsBeside(const TermScorer& scorer, float needed,
                                           const LengthBounds& others, LeastFreqs& table) {
  if (scorer.kind == SimilarityKind::kBm25) {
    LeastFreqsBesideOf<Bm25Inverse>(scorer.weight, needed, *scorer.lengths, others, table);
  } else {
    LeastFreqsBesideOf<TfidfInverse>(scorer.weight, needed, *scorer.lengths, others, table);
  }
}

// 0, 1, ... 255.
[[maybe_unused]] constexpr std::array<uint8_t, 256> kAllCodes = [] {
  std::array<uint8_t, 256> codes{};
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i);
  return codes;
}();

// most[code]: an upper bound of the frequency of postings with this length code: the greatest tf of
// the points with the same or a lower length code.
[[maybe_unused]] void GreatestFreqs(const BoundPoints* blocks, uint32_t n, uint8_t* most) {
  std::fill_n(most, 256, 0);
  for (uint32_t i = 0; i < n; ++i) {
    for (int p = 0; p < 4; ++p) {
      uint8_t& here = most[blocks[i].length_code[p]];
      here = std::max(here, blocks[i].tf[p]);
    }
  }
  for (size_t code = 1; code < 256; ++code) most[code] = std::max(most[code], most[code - 1]);
}

template <typename Formula>
void LengthBoundsOf(const uint8_t* most, const TermScorer& scorer, float escape_freq,
                    LengthBounds& bounds) {
  for (size_t code = 0; code < 256; ++code) {
    const float freq = most[code] == kFreqEscape ? escape_freq : static_cast<float>(most[code]);
    bounds.of[code] = Formula::Score(scorer.weight, freq, (*scorer.lengths)[code]);
  }
}

template <void (*kGreatestFreqs)(const BoundPoints*, uint32_t, uint8_t*)>
void FillLengthBounds(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                      float escape_freq, LengthBounds& bounds) {
  alignas(64) uint8_t most[256];
  kGreatestFreqs(blocks, n, most);
  if (scorer.kind == SimilarityKind::kBm25) {
    LengthBoundsOf<Bm25Inverse>(most, scorer, escape_freq, bounds);
  } else {
    LengthBoundsOf<TfidfInverse>(most, scorer, escape_freq, bounds);
  }
}

template <typename Formula>
void BlockBoundsOf(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                   float escape_freq, float* out) {
  for (uint32_t i = 0; i < n; ++i) {
    float bound = 0;
    for (int p = 0; p < 4; ++p) {
      const uint8_t tf = blocks[i].tf[p];
      const float freq = tf == kFreqEscape ? escape_freq : static_cast<float>(tf);
      const float length = (*scorer.lengths)[blocks[i].length_code[p]];
      bound = std::max(bound, Formula::Score(scorer.weight, freq, length));
    }
    out[i] = bound;
  }
}

[[maybe_unused]] void ComputeBlockBounds(const BoundPoints* blocks, uint32_t n,
                                         const TermScorer& scorer, float escape_freq, float* out) {
  if (scorer.kind == SimilarityKind::kBm25) {
    BlockBoundsOf<Bm25Inverse>(blocks, n, scorer, escape_freq, out);
  } else {
    BlockBoundsOf<TfidfInverse>(blocks, n, scorer, escape_freq, out);
  }
}

template <typename Formula>
void ScoresOf(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const TermScorer& scorer,
              float escape_freq, float* out) {
  for (uint32_t i = 0; i < n; ++i) {
    const float freq = freqs[i] == kFreqEscape ? escape_freq : static_cast<float>(freqs[i]);
    out[i] = Formula::Score(scorer.weight, freq, (*scorer.lengths)[codes[i]]);
  }
}

[[maybe_unused]] void ComputeScores(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                                    const TermScorer& scorer, float escape_freq, float* out) {
  if (scorer.kind == SimilarityKind::kBm25) {
    ScoresOf<Bm25Inverse>(freqs, codes, n, scorer, escape_freq, out);
  } else {
    ScoresOf<TfidfInverse>(freqs, codes, n, scorer, escape_freq, out);
  }
}

}  // namespace
}  // namespace pmdex
