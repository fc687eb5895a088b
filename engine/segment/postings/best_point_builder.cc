#include "engine/segment/postings/best_point_builder.h"

#include <algorithm>
#include <limits>

#include "engine/segment/documents/norms.h"

namespace pmdex {

constexpr std::array<uint8_t, 256> BestPointBuilder::LevelsOfFreqs() {
  std::array<uint8_t, 256> levels{};
  for (size_t level = 0; level < kLevels.size(); ++level) {
    for (size_t freq = kLevels[level]; freq < levels.size(); ++freq) {
      levels[freq] = static_cast<uint8_t>(level);
    }
  }
  return levels;
}

BestPointBuilder::BestPointBuilder() {
  StartField(1);
}

void BestPointBuilder::StartField(double average_length) {
  constexpr double kK1 = 1.2;
  constexpr double kB = 0.75;
  for (size_t code = 0; code < norms_.size(); ++code) {
    const double length = DecodeLength(static_cast<uint8_t>(code));
    norms_[code] = static_cast<float>(kK1 * (1 - kB + kB * length / average_length));
  }
}

void BestPointBuilder::Add(const uint8_t* freqs, const uint8_t* codes, uint32_t count) {
  static constexpr std::array<uint8_t, 256> kLevelOf = LevelsOfFreqs();
  size_t levels = levels_;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t level = kLevelOf[freqs[i]];
    ++rows_[level][codes[i]];
    levels = std::max(levels, level + 1);
  }
  levels_ = levels;
}

void BestPointBuilder::AddUnit(const uint8_t* codes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) ++rows_[0][codes[i]];
  levels_ = std::max<size_t>(levels_, 1);
}

void BestPointBuilder::Improve(uint8_t tf, const Row& reach,
                               std::array<float, kBestPointKinds>& best, BestPoints& points) const {
  uint64_t count = 0;
  size_t kind = 0;
  for (size_t code = 0; code < reach.size() && kind < kBestPointKinds; ++code) {
    count += reach[code];
    for (; kind < kBestPointKinds && count >= kBestPointCounts[kind]; ++kind) {
      const float loss = norms_[code] / tf;
      if (loss >= best[kind]) continue;
      best[kind] = loss;
      points.tf[kind] = tf;
      points.length_code[kind] = static_cast<uint8_t>(code);
    }
  }
}

BestPoints BestPointBuilder::Take() {
  BestPoints points{};
  std::array<float, kBestPointKinds> best;
  best.fill(std::numeric_limits<float>::infinity());
  Row reach{};
  for (size_t level = levels_; level-- > 0;) {
    Row& row = rows_[level];
    for (size_t code = 0; code < row.size(); ++code) reach[code] += row[code];
    row.fill(0);
    Improve(kLevels[level], reach, best, points);
  }
  levels_ = 0;
  return points;
}

}  // namespace pmdex
