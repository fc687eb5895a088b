#include "engine/columns/column_copier.h"

#include <string>
#include <utility>

#include "engine/columns/column_key.h"

namespace pmdex {

absl::StatusOr<ColumnCopier> ColumnCopier::Create(
    std::span<const std::span<const ColumnView>> sources, ColumnSetBuilder& target) {
  ColumnCopier copier;
  for (const std::span<const ColumnView> columns : sources) {
    std::vector<Column>& source = copier.sources_.emplace_back();
    for (const ColumnView& view : columns) {
      ColumnBuilder& builder = target.Column(view.name(), view.type());
      if (builder.type() != view.type()) {
        return InvalidArgument("the field " + std::string(view.name()) +
                               " has another type in another segment");
      }
      source.push_back({view, &builder});
    }
  }
  return copier;
}

absl::Status ColumnCopier::Copy(size_t source, DocId from, DocId to) {
  for (const Column& column : sources_[source]) {
    PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column.view.ValuesOf(from));
    for (uint64_t i = 0; i < values.count; ++i) {
      PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column.view.KeyAt(values.first + i));
      FieldValue value;
      value.type = column.view.type();
      if (value.type == FieldType::kKeyword) {
        PMDEX_ASSIGN_OR_RETURN(value.keyword, column.view.Keyword(key));
      } else {
        value.bits = BitsOfKey(value.type, key);
      }
      column.target->Add(to, value);
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
