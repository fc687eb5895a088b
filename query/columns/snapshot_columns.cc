#include "query/columns/snapshot_columns.h"

#include <algorithm>
#include <chrono>

namespace pmdex {

std::optional<FieldType> TypeOfField(const Snapshot& snapshot, std::string_view field) {
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = segment->FindColumn(field);
    if (column != nullptr) return column->type();
  }
  const auto names = snapshot.field_names();
  if (std::binary_search(names.begin(), names.end(), field)) return FieldType::kText;
  return std::nullopt;
}

ColumnKnowledge KnowledgeOf(const Snapshot& snapshot) {
  ColumnKnowledge knowledge;
  knowledge.type_of = [&snapshot](std::string_view field) { return TypeOfField(snapshot, field); };
  knowledge.now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count();
  return knowledge;
}

}  // namespace pmdex
