// Which directories of an index have entries, for -empty of `pmdex find`. Immutable; thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "tools/find/index_entries.h"

namespace pmdex {

class FilledDirectories {
 public:
  FilledDirectories() = default;  // none
  // Looks at all entries that are shown, wherever they lie. The index must outlive the result.
  static absl::StatusOr<FilledDirectories> Find(const IndexEntries& index);

  // path: of an entry. kDataLoss if a segment is damaged.
  absl::StatusOr<bool> Contains(std::string_view path) const;

 private:
  // The directories that entries of one segment lie in: a bit for each keyword of the column.
  struct InSegment {
    const ColumnView* directories = nullptr;
    std::vector<bool> are_filled;
  };
  std::vector<InSegment> segments_;
};

}  // namespace pmdex
