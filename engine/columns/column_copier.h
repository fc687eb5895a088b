// Copies the values of documents from the columns of mapped segments to the columns of a segment
// that is about to be written, for merges and set operations. The caller goes through the documents
// of the new segment in order, and says where each comes from. Belongs to one thread; segments and
// target must outlive it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/columns/column_set_builder.h"
#include "engine/columns/column_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnCopier {
 public:
  // sources: the columns of each segment (Segment::columns). kInvalidArgument if a field has
  // different types in them.
  static absl::StatusOr<ColumnCopier> Create(std::span<const std::span<const ColumnView>> sources,
                                             ColumnSetBuilder& target);

  // Copies all values of document `from` of a source to document `to`, which must not descend from
  // call to call. Requires a document of that source. kDataLoss if they are damaged.
  absl::Status Copy(size_t source, DocId from, DocId to);

 private:
  struct Column {
    ColumnView view;
    ColumnBuilder* target;
  };
  std::vector<std::vector<Column>> sources_;
};

}  // namespace pmdex
