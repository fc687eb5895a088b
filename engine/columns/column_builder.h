// Gathers the values of one column in DRAM: those of the documents of a segment that is about to be
// written. Parsers and merges add values document by document. Freeze then makes what the writer of
// the section needs (columns_writer.h). Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/field_type.h"
#include "engine/columns/field_value.h"
#include "engine/columns/keyword_table.h"
#include "engine/segment/format.h"
#include "pmem/check.h"

namespace pmdex {

class ColumnBuilder {
 public:
  // type: not kText.
  ColumnBuilder(std::string name, FieldType type) : name_(std::move(name)), type_(type) {}

  const std::string& name() const { return name_; }
  FieldType type() const { return type_; }

  // Adds a value of a document, behind those that it has. Requires a value of the column's type,
  // documents that do not descend, and no Freeze before. The text of a keyword is copied.
  void Add(DocId doc, const FieldValue& value) {
    PMDEX_CHECK(value.type == type_);
    const bool is_keyword = type_ == FieldType::kKeyword;
    AddKey(doc, is_keyword ? NumberOf(value.keyword) : KeyOfBits(type_, value.bits));
  }
  // The same for a column of keywords, by a number of NumberOf, or for other types by the key.
  void AddKey(DocId doc, uint64_t key) {
    PMDEX_CHECK(!frozen_ && (keys_.empty() || doc_of(keys_.size() - 1) <= doc));
    if (!is_dense() || doc != keys_.size()) AddDoc(doc);
    const bool grows = keys_.size() == keys_.capacity();
    keys_.push_back(key);
    if (grows) CountMemory();
  }
  // The number that stands for a keyword until Freeze. Requires a column of keywords.
  uint32_t NumberOf(std::string_view keyword);
  void Reserve(size_t value_count);
  // Removes the values of this document and of all later ones.
  void RemoveFrom(DocId doc);

  uint64_t value_count() const { return keys_.size(); }
  // What the builder holds.
  size_t memory_bytes() const { return memory_bytes_; }
  // What Freeze and the writer take besides.
  size_t flush_bytes() const {
    return std::max(keys_.size() * kSortedValueBytes, numbers_.size() * kSortedKeywordBytes);
  }

  // Puts the keywords in order. No Add may follow. A second call does nothing.
  void Freeze();

  // Requires Freeze. The document and the key (column_key.h) of value i, in the order in which they
  // were added.
  DocId doc_of(size_t i) const { return is_dense() ? static_cast<DocId>(i) : docs_[i]; }
  std::span<const uint64_t> keys() const { return keys_; }
  // Value i is the only one of document i.
  bool is_dense() const { return docs_.empty(); }
  // The different keywords in byte order; empty for other types.
  std::span<const std::string_view> keywords() const { return keywords_; }

 private:
  // A value while the writer sorts it: a key and a document, twice (radix_sort.h).
  static constexpr size_t kSortedValueBytes = 2 * 16;
  static constexpr size_t kSortedKeywordBytes = 2 * sizeof(std::string_view) + sizeof(uint64_t);
  void CountMemory();
  // The document of the value that is added next.
  void AddDoc(DocId doc);

  std::string name_;
  FieldType type_;
  std::vector<DocId> docs_;     // of each value; empty as long as these are 0, 1, 2, ...
  std::vector<uint64_t> keys_;  // of keywords before Freeze: their number in `numbers_`
  KeywordTable numbers_;
  std::vector<std::string_view> keywords_;
  bool frozen_ = false;
  size_t memory_bytes_ = 0;
};

}  // namespace pmdex
