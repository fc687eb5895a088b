#include "engine/columns/column_set_builder.h"

#include <algorithm>

namespace pmdex {

ColumnBuilder& ColumnSetBuilder::Column(std::string_view name, FieldType type) {
  const auto found = columns_.find(name);
  if (found != columns_.end()) return *found->second;
  auto column = std::make_unique<ColumnBuilder>(std::string(name), type);
  memory_bytes_ += sizeof(ColumnBuilder) + name.size();
  return *columns_.emplace(std::string(name), std::move(column)).first->second;
}

bool ColumnSetBuilder::Add(std::string_view name, DocId doc, const FieldValue& value) {
  ColumnBuilder& column = Column(name, value.type);
  if (column.type() != value.type) return false;
  memory_bytes_ -= column.memory_bytes();
  column.Add(doc, value);
  memory_bytes_ += column.memory_bytes();
  flush_bytes_ = std::max(flush_bytes_, column.flush_bytes());
  return true;
}

void ColumnSetBuilder::RemoveFrom(DocId doc) {
  memory_bytes_ = 0;
  flush_bytes_ = 0;
  for (const auto& [name, column] : columns_) {
    column->RemoveFrom(doc);
    memory_bytes_ += sizeof(ColumnBuilder) + name.size() + column->memory_bytes();
    flush_bytes_ = std::max(flush_bytes_, column->flush_bytes());
  }
}

size_t ColumnSetBuilder::column_count() {
  if (frozen_.size() == columns_.size()) return frozen_.size();
  for (const auto& [name, column] : columns_) {
    column->Freeze();
    frozen_.push_back(column.get());
  }
  return frozen_.size();
}

}  // namespace pmdex
