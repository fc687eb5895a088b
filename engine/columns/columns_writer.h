// Writes the columns of a segment as its section of columns (engine/segment/column_format.h).
// The writer of segments makes a ColumnsWriter for its plan, and calls Write in its turn. Belongs
// to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/columns/column_builder.h"
#include "engine/columns/column_source.h"
#include "engine/segment/column_format.h"
#include "engine/segment/file/section_stream.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnsWriter {
 public:
  // Loads each column once. The source must outlive the writer; nullptr stands for one without
  // columns. Returns kInvalidArgument if a column or the names are larger than a segment can hold,
  // kInternal for a document that the segment does not have, and the errors of the source.
  static absl::StatusOr<ColumnsWriter> Plan(ColumnSource* columns, uint32_t doc_count);

  // The exact size of the section. 0: the segment has no such section.
  uint64_t size_bytes() const { return size_bytes_; }
  // Loads each column once more. Returns the errors of the source.
  absl::Status Write(SectionStream& stream) const;

 private:
  struct SortMemory;
  absl::Status PlanColumn(const ColumnBuilder& column, size_t index);
  void WriteColumn(const ColumnBuilder& column, const ColumnEntry& entry, SortMemory& memory,
                   SectionStream& stream) const;
  static void WriteOrder(const ColumnBuilder& column, const ColumnEntry& entry, SortMemory& memory,
                         SectionStream& stream);
  void WritePresence(const ColumnBuilder& column, SectionStream& stream) const;
  void WriteZones(const ColumnBuilder& column, SectionStream& stream) const;

  uint32_t doc_count_ = 0;
  uint64_t size_bytes_ = 0;
  ColumnSource* source_ = nullptr;
  // Of the columns with a value, indexed alike.
  std::vector<size_t> columns_;  // their indices in the source
  std::vector<std::string> names_;
  std::vector<ColumnEntry> entries_;
};

}  // namespace pmdex
