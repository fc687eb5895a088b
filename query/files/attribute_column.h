// One attribute of the documents of a segment (attribute_names.h), decoded a window of documents at
// a time, for callers that go through documents in order. Not thread-safe. The segment must outlive
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

  // Require a document of the window that was loaded last. Of several values the first one counts.
  bool Has(DocId doc) const {
    const uint32_t i = doc % kZoneDocs;
    return column_ != nullptr && (present_[i / 64] >> (i % 64) & 1) != 0;
  }
  uint64_t Key(DocId doc) const { return keys_[doc % kZoneDocs]; }  // requires Has(doc)

 private:
  void Decode(const WindowValues& values);

  const ColumnView* column_ = nullptr;
  uint32_t doc_count_;
  std::optional<uint32_t> window_;
  std::vector<uint64_t> keys_;  // by document of the window
  std::array<uint64_t, kZoneDocs / 64> present_{};
};

}  // namespace pmdex
