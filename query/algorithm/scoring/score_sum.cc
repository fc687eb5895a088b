#include "query/algorithm/scoring/score_sum.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pmdex {
namespace {

// Floats that are not negative are ordered as their bits are.
uint32_t Bits(float score) {
  return std::bit_cast<uint32_t>(score);
}
float FromBits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

}  // namespace

float ScoreSum::Of(std::span<const float> scores) const {
  return Of(scores, rows_.size(), 0);
}

float ScoreSum::Of(std::span<const float> scores, size_t row, float score_of_row) const {
  double total = 0;
  double of_clause = 0;
  double of_sum = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const float score = i == row ? score_of_row : scores[i];
    if (rows_[i].is_clause) {
      total += score;
      continue;
    }
    of_sum += score;
    if (!rows_[i].ends_sum) continue;
    of_clause += static_cast<float>(of_sum);
    of_sum = 0;
    if (!rows_[i].ends_clause) continue;
    total += static_cast<float>(of_clause);
    of_clause = 0;
  }
  return static_cast<float>(total);
}

// The difference between the least total and what the others give is off by a few roundings at
// most. The search starts there, takes steps that double until it has passed the score, and then
// halves the interval.
float ScoreSum::LeastScore(size_t row, std::span<const float> bounds, float least_total) const {
  const auto reaches = [&](float score) { return Of(bounds, row, score) >= least_total; };
  const float others = Of(bounds, row, 0);
  if (others >= least_total) return 0;
  if (!reaches(bounds[row])) return std::numeric_limits<float>::infinity();
  uint32_t low = Bits(0.0f);  // does not reach
  uint32_t high = Bits(bounds[row]);
  const uint32_t guess = Bits(std::clamp(least_total - others, 0.0f, bounds[row]));
  if (reaches(FromBits(guess))) {
    high = guess;
    for (uint32_t step = 1; high - low > step; step *= 2) {
      if (!reaches(FromBits(high - step))) {
        low = high - step;
        break;
      }
      high -= step;
    }
  } else {
    low = guess;
    for (uint32_t step = 1; high - low > step; step *= 2) {
      if (reaches(FromBits(low + step))) {
        high = low + step;
        break;
      }
      low += step;
    }
  }
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (reaches(FromBits(middle)) ? high : low) = middle;
  }
  return FromBits(high);
}

}  // namespace pmdex
