#include "query/cursor/exact_phrase.h"

namespace pmdex {

float ExactPhraseMatcher::Frequency(std::span<const std::vector<uint32_t>> positions) {
  if (positions.empty()) return 0;
  size_t rarest = 0;
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i].size() < positions[rarest].size()) rarest = i;
  }
  starts_.clear();
  for (const uint32_t position : positions[rarest]) {
    starts_.push_back(int64_t{position} - offsets_[rarest]);
  }
  for (size_t i = 0; i < positions.size() && !starts_.empty(); ++i) {
    if (i == rarest) continue;
    size_t kept = 0;
    size_t at = 0;
    for (const int64_t start : starts_) {
      const int64_t wanted = start + offsets_[i];
      while (at < positions[i].size() && positions[i][at] < wanted) ++at;
      if (at < positions[i].size() && positions[i][at] == wanted) starts_[kept++] = start;
    }
    starts_.resize(kept);
  }
  return static_cast<float>(starts_.size());
}

}  // namespace pmdex
