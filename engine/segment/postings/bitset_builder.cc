#include "engine/segment/postings/bitset_builder.h"

#include <bit>

namespace pmdex {

std::span<const uint32_t> BitsetBuilder::FinishRanks() {
  constexpr size_t kRunWords = kRankDocs / 64;
  ranks_.clear();
  uint32_t rank = 0;
  for (size_t word = 0; word < words_.size(); ++word) {
    if (word % kRunWords == 0) ranks_.push_back(rank);
    rank += static_cast<uint32_t>(std::popcount(words_[word]));
  }
  ranks_.push_back(rank);
  return ranks_;
}

}  // namespace pmdex
