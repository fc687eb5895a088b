#include "engine/columns/column_set_builder.h"

#include <algorithm>

#include "pmem/equal_bytes.h"

namespace pmdex {

ColumnBuilder& ColumnSetBuilder::Column(std::string_view name, FieldType type) {
  Entry* const before = last_;
  if (before != nullptr && before->follower != nullptr &&
      AreEqual(before->follower->column->name(), name)) {
    last_ = before->follower;
    return *last_->column;
  }
  auto found = columns_.find(name);
  if (found == columns_.end()) {
    auto column = std::make_unique<ColumnBuilder>(std::string(name), type);
    found = columns_.emplace(std::string(name), Entry{std::move(column)}).first;
    memory_bytes_ += sizeof(ColumnBuilder) + name.size();
  }
  last_ = &found->second;
  if (before != nullptr) before->follower = last_;
  return *last_->column;
}

bool ColumnSetBuilder::Add(std::string_view name, DocId doc, const FieldValue& value) {
  ColumnBuilder& column = Column(name, value.type);
  if (column.type() != value.type) return false;
  const size_t before_bytes = column.memory_bytes();
  column.Add(doc, value);
  memory_bytes_ += column.memory_bytes() - before_bytes;
  flush_bytes_ = std::max(flush_bytes_, column.flush_bytes());
  return true;
}

void ColumnSetBuilder::RemoveFrom(DocId doc) {
  memory_bytes_ = 0;
  flush_bytes_ = 0;
  for (const auto& [name, entry] : columns_) {
    entry.column->RemoveFrom(doc);
    memory_bytes_ += sizeof(ColumnBuilder) + name.size() + entry.column->memory_bytes();
    flush_bytes_ = std::max(flush_bytes_, entry.column->flush_bytes());
  }
}

size_t ColumnSetBuilder::column_count() {
  if (frozen_.size() == columns_.size()) return frozen_.size();
  for (const auto& [name, entry] : columns_) {
    entry.column->Freeze();
    frozen_.push_back(entry.column.get());
  }
  return frozen_.size();
}

}  // namespace pmdex
