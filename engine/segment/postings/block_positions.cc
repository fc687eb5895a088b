#include "engine/segment/postings/block_positions.h"

namespace pmdex {

void BlockPositions::Extend(size_t count) {
  entries_.resize(std::max(size_ + count, 2 * entries_.size()));
}

void BlockPositions::Widen() {
  if (is_wide_) return;
  wide_.resize(std::max(wide_.size(), size_));
  std::copy_n(entries_.data(), size_, wide_.data());
  is_wide_ = true;
}

uint32_t* BlockPositions::WideRoom(size_t count) {
  Widen();
  if (wide_.size() < size_ + count) wide_.resize(std::max(size_ + count, 2 * wide_.size()));
  return wide_.data() + size_;
}

void BlockPositions::Append(std::span<const uint32_t> positions) {
  const bool fit = std::all_of(positions.begin(), positions.end(),
                               [](uint32_t position) { return position < kPositionPage; });
  if (is_wide_ || !fit) {
    std::copy_n(positions.data(), positions.size(), WideRoom(positions.size()));
  } else {
    uint16_t* const room = Room(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) room[i] = static_cast<uint16_t>(positions[i]);
  }
  Grow(positions.size());
}

void BlockPositions::AppendEntries(std::span<const uint16_t> entries) {
  if (is_wide_) {
    std::copy_n(entries.data(), entries.size(), WideRoom(entries.size()));
  } else {
    std::copy_n(entries.data(), entries.size(), Room(entries.size()));
  }
  Grow(entries.size());
}

}  // namespace pmdex
