// Writes the columns of a segment as its section of columns (engine/segment/column_format.h).
// The writer of segments makes a ColumnsWriter for its plan, and calls Write in its turn. Belongs
// to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/columns/column_builder.h"
#include "engine/columns/column_set_builder.h"
#include "engine/segment/column_format.h"
#include "engine/segment/file/section_stream.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnsWriter {
 public:
  // Freezes the set, which must outlive the writer; nullptr stands for an empty set. Returns
  // kInvalidArgument if a column or the names are larger than a segment can hold, and kInternal for
  // a document that the segment does not have.
  static absl::StatusOr<ColumnsWriter> Plan(ColumnSetBuilder* columns, uint32_t doc_count);

  // The exact size of the section. 0: the segment has no such section.
  uint64_t size_bytes() const { return size_bytes_; }
  void Write(SectionStream& stream) const;

 private:
  void WriteColumn(const ColumnBuilder& column, const ColumnEntry& entry,
                   SectionStream& stream) const;
  void WritePresence(const ColumnBuilder& column, SectionStream& stream) const;
  void WriteZones(const ColumnBuilder& column, SectionStream& stream) const;

  uint32_t doc_count_ = 0;
  uint64_t size_bytes_ = 0;
  std::vector<const ColumnBuilder*> columns_;
  std::vector<ColumnEntry> entries_;  // indexed like columns_
};

}  // namespace pmdex
