// Makes a document for the index of what a client sent, by the mapping of the index: each value
// becomes text or a typed value of its field and of its multi-fields. Fields that nobody declared
// are added to a copy of the mapping, ignored or refused, as `dynamic` says.
//
//   SourceDocument, MappedFields -> MapDocument -> AddedDocument -> LiveIndex
//
// Pure; thread-safe.
#pragma once

#include <optional>

#include "engine/live/added_document.h"
#include "pmem/status.h"
#include "tools/server/mapping/mapped_fields.h"
#include "tools/server/mapping/source_document.h"

namespace pmdex {

struct MappedDocument {
  AddedDocument document;
  // The mapping with the fields that the document brought; nullopt if it brought none.
  std::optional<MappedFields> changed;
};

// Returns an ApiError in Elasticsearch's words if a value does not fit its field, or if a field is
// refused. Then nothing of the document counts.
absl::StatusOr<MappedDocument> MapDocument(SourceDocument source, const MappedFields& fields);

// The field that a value gets where nobody declared one. Requires a string, number or truth value.
MappedField DynamicField(const SourceValue& value);

}  // namespace pmdex
