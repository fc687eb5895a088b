#include "engine/columns/column_set_builder.h"

#include <algorithm>

namespace pmdex {

ColumnBuilder& ColumnSetBuilder::Column(std::string_view name, FieldType type) {
  const auto found = columns_.find(name);
  if (found != columns_.end()) return *found->second;
  auto column = std::make_unique<ColumnBuilder>(std::string(name), type);
  return *columns_.emplace(std::string(name), std::move(column)).first->second;
}

bool ColumnSetBuilder::Add(std::string_view name, DocId doc, const FieldValue& value) {
  ColumnBuilder& column = Column(name, value.type);
  if (column.type() != value.type) return false;
  column.Add(doc, value);
  return true;
}

void ColumnSetBuilder::RemoveFrom(DocId doc) {
  for (const auto& [name, column] : columns_) column->RemoveFrom(doc);
}

size_t ColumnSetBuilder::memory_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, column] : columns_) {
    bytes += sizeof(ColumnBuilder) + name.size() + column->memory_bytes();
  }
  return bytes;
}

size_t ColumnSetBuilder::flush_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, column] : columns_) bytes = std::max(bytes, column->flush_bytes());
  return bytes;
}

std::vector<const ColumnBuilder*> ColumnSetBuilder::Freeze() {
  std::vector<const ColumnBuilder*> frozen;
  for (const auto& [name, column] : columns_) {
    column->Freeze();
    if (column->value_count() != 0) frozen.push_back(column.get());
  }
  return frozen;
}

}  // namespace pmdex
