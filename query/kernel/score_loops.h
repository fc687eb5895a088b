// Loops over the formulas of query/similarity.h that every level compiles for its own instruction
// set. Internal linkage on purpose: each of the kernel files has its own. Compiled without
// contraction into fused operations, they give the same bits everywhere.
#pragma once

#include <algorithm>
#include <cstdint>

#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

// About the frequency at which the score reaches `needed`, for a positive one below any the term
// can have; may be off by rounding, by far less than one in the range of 1..255.
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

// From one below the estimate, the first of three that reaches the score.
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

}  // namespace
}  // namespace pmdex
