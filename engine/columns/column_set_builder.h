// The columns of a segment that is about to be written, each in a ColumnBuilder. The memtable fills
// it, and the segment writer writes it (SegmentInput::columns). Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/column_builder.h"
#include "engine/columns/column_source.h"
#include "engine/columns/field_type.h"
#include "engine/columns/field_value.h"
#include "engine/segment/format.h"

namespace pmdex {

class ColumnSetBuilder final : public ColumnSource {
 public:
  // The column of this name, which is made if it is not there. `type` counts only then: the column
  // may have another type. Stays valid as long as the set. The bytes below leave out the values
  // that callers add to it.
  ColumnBuilder& Column(std::string_view name, FieldType type);
  // Adds a value to the column of this name, if the column has the type of the value. Returns false
  // if it has another type. Documents must not descend.
  bool Add(std::string_view name, DocId doc, const FieldValue& value);
  // Removes the values of this document and of all later ones.
  void RemoveFrom(DocId doc);

  bool empty() const { return columns_.empty(); }
  // What the columns hold.
  size_t memory_bytes() const { return memory_bytes_; }
  // What the writer takes besides: it writes one column after the other.
  size_t flush_bytes() const { return flush_bytes_; }

  // No Add may follow either of these.
  size_t column_count() override;
  absl::StatusOr<const ColumnBuilder*> Load(size_t index) override { return frozen_[index]; }

 private:
  struct Entry {
    std::unique_ptr<ColumnBuilder> column;
    // The column that a value came for after this one last time. Most documents have one order.
    Entry* follower = nullptr;
  };

  std::map<std::string, Entry, std::less<>> columns_;
  Entry* last_ = nullptr;
  std::vector<const ColumnBuilder*> frozen_;  // by name
  size_t memory_bytes_ = 0;
  size_t flush_bytes_ = 0;
};

}  // namespace pmdex
