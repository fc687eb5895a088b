// The columns of a merge: those of all sources, united by name, with the values of the documents
// that stay.
//
// Memory: the column that was loaded last, at 12 bytes a value and its keywords, and 4 bytes a
// keyword of each source; the writer sorts the values of a column in 32 bytes each. Belongs to one
// thread; all arguments must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/columns/column_builder.h"
#include "engine/columns/column_copier.h"
#include "engine/columns/column_source.h"
#include "engine/columns/column_view.h"
#include "engine/segment/merge/merge_source.h"
#include "engine/segment/merge/merged_docs.h"

namespace pmdex {

class MergedColumns final : public ColumnSource {
 public:
  // stop: asked often; Load returns kCancelled once it returns true. May be empty.
  MergedColumns(std::span<const MergeSource> sources, const MergedDocs& docs,
                const std::function<bool()>& stop);

  // Returns kInvalidArgument if a name has columns of different types.
  absl::Status Check() const;
  size_t column_count() override { return columns_.size(); }
  // Returns kDataLoss if a source is damaged.
  absl::StatusOr<const ColumnBuilder*> Load(size_t index) override;

 private:
  struct Column {
    std::string name;
    std::vector<const ColumnView*> views;  // by source; nullptr where the source has none
  };
  using Copiers = std::vector<std::optional<ColumnCopier>>;  // by source

  FieldType TypeOf(const Column& column) const;
  bool IsStopped(DocId doc) const;
  absl::Status CopyInOrder(Copiers& copiers) const;
  absl::Status CopyPermuted(Copiers& copiers) const;

  const std::span<const MergeSource> sources_;
  const MergedDocs& docs_;
  const std::function<bool()>& stop_;
  std::vector<Column> columns_;  // by name
  std::optional<size_t> loaded_index_;
  std::optional<ColumnBuilder> loaded_;
};

}  // namespace pmdex
