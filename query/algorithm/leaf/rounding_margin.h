// Sums of upper bounds are compared with scores that were added in another order and rounded on the
// way. The rounding margin is the relative amount by which such a sum may fall below a score that
// it bounds. Bounds that ScoreSum adds need no margin (score_sum.h). Thread-safe: no state.
#pragma once

#include <cstddef>

namespace pmdex {

// The margin of a sum over so many leaves; 0 for one leaf, where nothing is added.
inline double RoundingMarginOf(size_t leaves) {
  return leaves > 1 ? 1e-6 + 1e-7 * static_cast<double>(leaves) : 0;
}

// The part of `min_score` that a leaf must contribute if the other leaves contribute at most
// `others`. 0 if min_score is not positive: then every document reaches it.
inline float MinScoreBeside(double min_score, double others, double rounding_margin) {
  if (min_score <= 0) return 0;
  return static_cast<float>((min_score - others) - rounding_margin * (min_score + others));
}

}  // namespace pmdex
