// The columns of a segment that is about to be written, one after the other: what the writer of
// segments asks a memtable or a merge for (SegmentInput::columns). Only one column needs to be in
// memory at a time. Belongs to one thread.
#pragma once

#include <cstddef>

#include "engine/columns/column_builder.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  // Columns without a value may be among them. The writer leaves those out.
  virtual size_t column_count() = 0;
  // The columns in ascending order of their names, no two of one name, and each frozen. The result
  // is valid until the next call, and the same for the same index. Requires index <
  // column_count().
  virtual absl::StatusOr<const ColumnBuilder*> Load(size_t index) = 0;
};

}  // namespace pmdex
