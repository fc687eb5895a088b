// The columns of a mapped segment. Open checks the entries of all columns and that their parts lie
// inside the section; the work grows with the number of columns alone. Views refer to the
// SegmentView, which must outlive the table. Immutable after Open; thread-safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/columns/column_view.h"
#include "engine/segment/file/segment_view.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnTable {
 public:
  ColumnTable() = default;  // without columns
  // Of a segment without a section of columns the table is empty. Returns kDataLoss if an entry is
  // damaged.
  static absl::StatusOr<ColumnTable> Open(const SegmentView& view);

  std::span<const ColumnView> columns() const { return columns_; }  // by name
  // nullptr if the segment has no such column.
  const ColumnView* Find(std::string_view name) const;

 private:
  std::vector<ColumnView> columns_;
};

}  // namespace pmdex
