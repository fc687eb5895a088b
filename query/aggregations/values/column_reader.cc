#include "query/aggregations/values/column_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pmdex {
namespace {

template <typename Stored>
Stored StoredAt(const std::byte* lane, size_t i) {
  Stored stored;
  std::memcpy(&stored, lane + i * sizeof stored, sizeof stored);
  return stored;
}

// Calls visit with a number of the type that a column of this width stores.
template <typename Visit>
void VisitStoredType(uint32_t value_bytes, const Visit& visit) {
  switch (value_bytes) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    default:
      return visit(uint64_t{});
  }
}

}  // namespace

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
  keys.resize(docs.size());
  for (size_t i = 0; i < docs.size(); ++i) {
    keys[i] = least + StoredAt<Stored>(values_.lane, docs[i]);
  }
}

template <typename Stored>
void ColumnReader::CountDense(std::span<const uint16_t> docs, std::span<uint64_t> counts) const {
  const uint64_t least = column_.least();
  for (const uint16_t doc : docs) {
    const uint64_t key = least + StoredAt<Stored>(values_.lane, doc);
    if (key < counts.size()) ++counts[key];  // a damaged file may have others
  }
}

template <typename See>
void ColumnReader::VisitSparse(std::span<const uint16_t> docs, const See& see) const {
  if (values_.doc_count == 0) return;
  for (size_t i = 0; i < docs.size(); ++i) {
    const size_t word = docs[i] / 64;
    if (word >= values_.presence_words) return;
    const uint64_t presence = values_.presence[word];
    const uint64_t bit = uint64_t{1} << (docs[i] % 64);
    const size_t rank = ranks_[word] + static_cast<size_t>(std::popcount(presence & (bit - 1)));
    // A damaged file may have such a rank.
    const bool present = ((presence & bit) != 0) & (rank < values_.doc_count);
    see(i, present ? rank : 0, present);
  }
}

template <typename Stored>
void ColumnReader::ReadSparse(std::span<const uint16_t> docs, BatchValues& values) const {
  const uint64_t least = column_.least();
  values.keys.resize(docs.size());
  values.positions.resize(docs.size());
  size_t count = 0;
  VisitSparse(docs, [&](size_t i, size_t index, bool present) {
    values.keys[count] = least + StoredAt<Stored>(values_.lane, index);
    values.positions[count] = static_cast<uint32_t>(i);
    count += present ? 1 : 0;
  });
  values.keys.resize(count);
  values.positions.resize(count);
}

template <typename Stored>
void ColumnReader::CountSparse(std::span<const uint16_t> docs, std::span<uint64_t> counts) const {
  const uint64_t least = column_.least();
  VisitSparse(docs, [&](size_t, size_t index, bool present) {
    const uint64_t key = least + StoredAt<Stored>(values_.lane, index);
    if (key < counts.size()) counts[key] += present ? 1 : 0;
  });
}

bool ColumnReader::CountKeys(std::span<const uint16_t> docs, std::span<uint64_t> counts) const {
  if (!IsDense(docs) && !IsSparse()) return false;
  VisitStoredType(column_.value_bytes(), [&](auto stored) {
    using Stored = decltype(stored);
    IsSparse() ? CountSparse<Stored>(docs, counts) : CountDense<Stored>(docs, counts);
  });
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
  if (IsDense(docs) || IsSparse()) {
    return VisitStoredType(column_.value_bytes(), [&](auto stored) {
      using Stored = decltype(stored);
      IsSparse() ? ReadSparse<Stored>(docs, values) : ReadDense<Stored>(docs, values.keys);
    });
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
