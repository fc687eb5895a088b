// One attribute of the documents of a segment (attribute_names.h), decoded a window of documents at
// a time, for callers that go through documents in order. Not thread-safe. The segment must outlive
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/columns/column_view.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

class AttributeColumn {
 public:
  // Without values if the segment has no such column, or one of another type.
  AttributeColumn(const Segment& segment, std::string_view name);

  const ColumnView* view() const { return column_; }  // nullptr: without values
  bool is_loaded(uint32_t window) const { return window_ == window; }
  // kDataLoss for damaged bytes.
  absl::Status Load(uint32_t window);

  // All that follows is about the window that was loaded last. Of several values the first one
  // counts.
  bool Has(DocId doc) const {
    const uint32_t i = doc % kZoneDocs;
    return column_ != nullptr && (present_[i / 64] >> (i % 64) & 1) != 0;
  }
  uint64_t Key(DocId doc) const { return keys_[doc % kZoneDocs]; }  // requires Has(doc)
  // The text of a column of keywords. Requires Has(doc). kDataLoss for damaged bytes.
  absl::StatusOr<std::string_view> Text(DocId doc) { return TextOfKey(Key(doc)); }
  absl::StatusOr<std::string_view> TextOfKey(uint64_t ordinal) {
    if (const auto text = texts_.Find(ordinal)) return *text;
    return ReadText(ordinal);
  }

  // A bit for each document: whether it has a value.
  std::span<const uint64_t, kZoneDocs / 64> present() const { return present_; }
  // By document; the key of 0 for those without a value. Requires view().
  std::span<const uint64_t> keys() const { return keys_; }

 private:
  // Neighbours are often asked for one after the other.
  static constexpr uint64_t kFewestTexts = 64;
  absl::StatusOr<std::string_view> ReadText(uint64_t ordinal);
  void Decode(const WindowValues& values);
  template <typename Stored>
  void DecodeDense(const WindowValues& values);

  const ColumnView* column_ = nullptr;
  uint32_t doc_count_;
  std::optional<uint32_t> window_;
  std::vector<uint64_t> keys_;  // by document of the window
  std::array<uint64_t, kZoneDocs / 64> present_{};
  KeywordRun texts_;        // those around the one that was read last
  uint64_t texts_end_ = 0;  // behind the last of them
  uint64_t texts_count_ = kFewestTexts;
};

}  // namespace pmdex
