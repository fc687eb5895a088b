// Copies the values of documents from a column of a mapped segment to a column of a segment that is
// about to be written, for merges and set operations. Each keyword is looked up once. Takes four
// bytes for each keyword of the source. Belongs to one thread; source and target must outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/columns/column_builder.h"
#include "engine/columns/column_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnCopier {
 public:
  // Requires columns of the same type.
  ColumnCopier(const ColumnView& source, ColumnBuilder& target);

  // Copies all values of document `from` of the source to document `to`, which must not descend
  // from call to call. Requires a document of the source. Returns kDataLoss if they are damaged.
  absl::Status Copy(DocId from, DocId to);

 private:
  absl::StatusOr<uint64_t> KeyInTarget(uint64_t key);

  const ColumnView& source_;
  ColumnBuilder& target_;
  std::vector<uint32_t> numbers_;  // by ordinal: one more than NumberOf, or 0 if it was not asked
};

}  // namespace pmdex
