#include "engine/columns/column_builder.h"

#include <algorithm>
#include <utility>

#include "engine/columns/column_key.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

// A value while the writer sorts it: a key and a document, twice (radix_sort.h).
constexpr size_t kSortedValueBytes = 2 * 16;

}  // namespace

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

void ColumnBuilder::Add(DocId doc, const FieldValue& value) {
  PMDEX_CHECK(value.type == type_);
  const bool is_keyword = type_ == FieldType::kKeyword;
  AddKey(doc, is_keyword ? NumberOf(value.keyword) : KeyOfBits(type_, value.bits));
}

void ColumnBuilder::AddKey(DocId doc, uint64_t key) {
  PMDEX_CHECK(!frozen_ && (docs_.empty() || docs_.back() <= doc));
  const bool grows = keys_.size() == keys_.capacity() || docs_.size() == docs_.capacity();
  keys_.push_back(key);
  docs_.push_back(doc);
  if (grows) CountMemory();
}

void ColumnBuilder::Reserve(size_t value_count) {
  keys_.reserve(value_count);
  docs_.reserve(value_count);
  CountMemory();
}

void ColumnBuilder::RemoveFrom(DocId doc) {
  PMDEX_CHECK(!frozen_);
  const auto first = std::lower_bound(docs_.begin(), docs_.end(), doc);
  keys_.resize(static_cast<size_t>(first - docs_.begin()));
  docs_.erase(first, docs_.end());
}

size_t ColumnBuilder::flush_bytes() const {
  constexpr size_t kSortedKeywordBytes = 2 * sizeof(std::string_view) + sizeof(uint64_t);
  return std::max(keys_.size() * kSortedValueBytes, numbers_.size() * kSortedKeywordBytes);
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
