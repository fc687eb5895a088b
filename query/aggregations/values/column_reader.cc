#include "query/aggregations/values/column_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pmdex {

absl::Status ColumnReader::Load(uint32_t window) {
  static_assert(kZoneDocs == kWindowDocs);
  if (window == window_) return absl::OkStatus();
  window_ = UINT32_MAX;
  PMDEX_ASSIGN_OR_RETURN(zone_, column_.Zone(window));
  PMDEX_ASSIGN_OR_RETURN(values_, column_.Window(window));
  if (values_.presence != nullptr) {
    uint32_t rank = 0;
    values_.presence_words =
        std::min<uint32_t>(values_.presence_words, static_cast<uint32_t>(kWindowWords));
    for (size_t i = 0; i < values_.presence_words; ++i) {
      ranks_[i] = rank;
      rank += static_cast<uint32_t>(std::popcount(values_.presence[i]));
    }
  }
  window_ = window;
  return absl::OkStatus();
}

template <typename Stored>
void ColumnReader::ReadDense(std::span<const uint16_t> docs, std::vector<uint64_t>& keys) const {
  const uint64_t least = column_.least();
  const std::byte* const lane = values_.lane;
  for (size_t i = 0; i < docs.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, lane + size_t{docs[i]} * sizeof stored, sizeof stored);
    keys[i] = least + stored;
  }
}

template <typename Stored>
void ColumnReader::CountDense(std::span<const uint16_t> docs, std::span<uint64_t> counts) const {
  const uint64_t least = column_.least();
  const std::byte* const lane = values_.lane;
  for (const uint16_t doc : docs) {
    Stored stored;
    std::memcpy(&stored, lane + size_t{doc} * sizeof stored, sizeof stored);
    const uint64_t key = least + stored;
    if (key < counts.size()) ++counts[key];  // a damaged file may have others
  }
}

bool ColumnReader::CountKeys(std::span<const uint16_t> docs, std::span<uint64_t> counts) const {
  if (!IsDense(docs)) return false;
  switch (column_.value_bytes()) {
    case 1:
      CountDense<uint8_t>(docs, counts);
      break;
    case 2:
      CountDense<uint16_t>(docs, counts);
      break;
    case 4:
      CountDense<uint32_t>(docs, counts);
      break;
    default:
      CountDense<uint64_t>(docs, counts);
  }
  return true;
}

size_t ColumnReader::RankOf(uint16_t doc) const {
  size_t rank = doc;
  if (values_.presence != nullptr) {
    const size_t word = doc / 64;
    const uint64_t bit = uint64_t{1} << (doc % 64);
    if (word >= values_.presence_words || (values_.presence[word] & bit) == 0) return SIZE_MAX;
    rank = ranks_[word] + static_cast<size_t>(std::popcount(values_.presence[word] & (bit - 1)));
  }
  return rank < values_.doc_count ? rank : SIZE_MAX;  // a damaged file may have such a rank
}

void ColumnReader::Read(std::span<const uint16_t> docs, BatchValues& values) const {
  values.positions.clear();
  if (IsDense(docs)) {
    values.keys.resize(docs.size());
    switch (column_.value_bytes()) {
      case 1:
        return ReadDense<uint8_t>(docs, values.keys);
      case 2:
        return ReadDense<uint16_t>(docs, values.keys);
      case 4:
        return ReadDense<uint32_t>(docs, values.keys);
      default:
        return ReadDense<uint64_t>(docs, values.keys);
    }
  }
  values.keys.clear();
  for (size_t i = 0; i < docs.size(); ++i) {
    const size_t rank = RankOf(docs[i]);
    if (rank == SIZE_MAX) continue;
    uint32_t begin = static_cast<uint32_t>(rank);
    uint32_t end = begin + 1;
    if (values_.starts != nullptr) {
      // In a damaged file starts may not ascend, or may lie outside of the window's values.
      const uint32_t first = values_.first_value;
      begin = std::max(values_.starts[rank], first) - first;
      end = std::min(std::max(values_.starts[rank + 1], first) - first, values_.value_count);
    }
    for (uint32_t value = begin; value < end; ++value) {
      values.keys.push_back(column_.KeyIn(values_.lane, value));
      values.positions.push_back(static_cast<uint32_t>(i));
    }
  }
}

}  // namespace pmdex
