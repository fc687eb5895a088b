#include "query/aggregations/values/quantile_sketch.h"

#include <algorithm>

namespace pmdex {

// An odd value stays on its level, so that the weights always add up.
void QuantileSketch::Halve(size_t level) {
  if (levels_.size() <= level + 1) levels_.resize(level + 2);
  keeps_odd_.resize(levels_.size());
  std::vector<uint64_t>& full = levels_[level];
  std::vector<uint64_t>& above = levels_[level + 1];
  std::sort(full.begin(), full.end());
  const size_t pairs = full.size() / 2;
  for (size_t i = 0; i < pairs; ++i) above.push_back(full[2 * i + (keeps_odd_[level] ? 1 : 0)]);
  keeps_odd_[level] = !keeps_odd_[level];
  full.erase(full.begin(), full.begin() + static_cast<ptrdiff_t>(pairs * 2));
  if (above.size() >= kBuffer) Halve(level + 1);
}

void QuantileSketch::Merge(const QuantileSketch& other) {
  count_ += other.count_;
  if (levels_.size() < other.levels_.size()) levels_.resize(other.levels_.size());
  for (size_t i = 0; i < other.levels_.size(); ++i) {
    levels_[i].insert(levels_[i].end(), other.levels_[i].begin(), other.levels_[i].end());
  }
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].size() >= kBuffer) Halve(i);
  }
}

std::vector<QuantileSketch::Ranked> QuantileSketch::Sorted() const {
  std::vector<Ranked> sorted;
  for (size_t i = 0; i < levels_.size(); ++i) {
    for (const uint64_t key : levels_[i]) sorted.emplace_back(key, uint64_t{1} << i);
  }
  std::sort(sorted.begin(), sorted.end());
  uint64_t behind = 0;
  for (auto& [key, rank] : sorted) rank = behind += rank;
  return sorted;
}

uint64_t QuantileSketch::ValueAt(const std::vector<Ranked>& sorted, uint64_t index) {
  const auto found =
      std::upper_bound(sorted.begin(), sorted.end(), index,
                       [](uint64_t sought, const Ranked& value) { return sought < value.second; });
  return found == sorted.end() ? sorted.back().first : found->first;
}

}  // namespace pmdex
