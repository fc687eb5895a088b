// What a ColumnRange means in one segment: the keys of the segment's column that match. Keywords
// have other keys in each segment. A plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "query/columns/column_range.h"

namespace pmdex {

struct ColumnKeys {
  uint64_t low = 1;  // keys in [low, high] match; none if low > high
  uint64_t high = 0;
  // Of a pattern: whether key low + i matches. Empty: all keys of the range match.
  std::vector<bool> members;

  bool empty() const { return low > high; }
  bool Has(uint64_t key) const {
    return low <= key && key <= high && (members.empty() || members[key - low]);
  }
};

// No keys if the column is of another type. Keys that the column does not have are cut off at both
// ends. A pattern costs a pass over the keywords that begin like it. kDataLoss if the keywords are
// damaged.
absl::StatusOr<ColumnKeys> FindKeys(const ColumnRange& range, const ColumnView& column);

}  // namespace pmdex
