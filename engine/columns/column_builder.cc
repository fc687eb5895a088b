#include "engine/columns/column_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pmdex {

// To be called when a table may have grown.
void ColumnBuilder::CountMemory() {
  memory_bytes_ = docs_.capacity() * sizeof(DocId) + keys_.capacity() * sizeof(uint64_t) +
                  numbers_.memory_bytes() + keywords_.capacity() * sizeof(std::string_view);
}

uint32_t ColumnBuilder::NumberOf(std::string_view keyword) {
  const uint32_t known = numbers_.size();
  const uint32_t number = numbers_.NumberOf(keyword);
  if (numbers_.size() != known) CountMemory();
  return number;
}

void ColumnBuilder::AddDoc(DocId doc) {
  const size_t capacity = docs_.capacity();
  if (is_dense() && !keys_.empty()) {
    docs_.reserve(keys_.capacity() + 1);
    docs_.resize(keys_.size());
    std::iota(docs_.begin(), docs_.end(), DocId{0});
  }
  docs_.push_back(doc);
  if (docs_.capacity() != capacity) CountMemory();
}

void ColumnBuilder::Reserve(size_t value_count) {
  keys_.reserve(value_count);
  CountMemory();
}

void ColumnBuilder::RemoveFrom(DocId doc) {
  PMDEX_CHECK(!frozen_);
  if (is_dense()) {
    keys_.resize(std::min<size_t>(keys_.size(), doc));
    return;
  }
  const auto first = std::lower_bound(docs_.begin(), docs_.end(), doc);
  keys_.resize(static_cast<size_t>(first - docs_.begin()));
  docs_.erase(first, docs_.end());
}

void ColumnBuilder::Freeze() {
  if (std::exchange(frozen_, true) || type_ != FieldType::kKeyword) return;
  // A document that was removed may have left a keyword that no value has.
  std::vector<uint64_t> ordinals(numbers_.size(), 0);
  for (const uint64_t number : keys_) ordinals[number] = 1;
  std::vector<std::pair<std::string_view, uint32_t>> sorted;
  sorted.reserve(numbers_.size());
  for (uint32_t number = 0; number < numbers_.size(); ++number) {
    if (ordinals[number] != 0) sorted.emplace_back(numbers_.keyword(number), number);
  }
  std::sort(sorted.begin(), sorted.end());
  keywords_.reserve(sorted.size());
  for (const auto& [keyword, number] : sorted) {
    ordinals[number] = keywords_.size();
    keywords_.push_back(keyword);
  }
  for (uint64_t& key : keys_) key = ordinals[key];
  CountMemory();
}

}  // namespace pmdex
