// What a snapshot knows of its fields that are not text, for the parser of queries and for sorting.
// Stateless; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/field_type.h"
#include "engine/store/snapshot.h"
#include "query/language/column_leaf_builder.h"

namespace pmdex {

// The type of the field: that of the first segment that has values of it; kText if it has words;
// the type that the index knows for it if no document has it; nullopt for a field that is not
// known.
std::optional<FieldType> TypeOfField(const Snapshot& snapshot, std::string_view field);

// The names of all fields that are not text, sorted.
std::vector<std::string> ColumnNames(const Snapshot& snapshot);

// For QueryParser::SetColumns. `now` is the time of the call. The snapshot must outlive it.
ColumnKnowledge KnowledgeOf(const Snapshot& snapshot);

}  // namespace pmdex
