#include "query/columns/snapshot_columns.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace pmdex {

std::optional<FieldType> TypeOfField(const Snapshot& snapshot, std::string_view field) {
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = segment->FindColumn(field);
    if (column != nullptr) return column->type();
  }
  const auto names = snapshot.field_names();
  if (std::binary_search(names.begin(), names.end(), field)) return FieldType::kText;
  const FieldSpecs& known = snapshot.manifest().fields;
  const auto found = known.find(field);
  return found == known.end() ? std::nullopt : std::optional(found->second.type);
}

std::vector<std::string> ColumnNames(const Snapshot& snapshot) {
  std::set<std::string> names;
  for (const auto& segment : snapshot.segments()) {
    for (const ColumnView& column : segment->columns()) names.emplace(column.name());
  }
  return {names.begin(), names.end()};
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
