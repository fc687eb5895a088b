// Facts of an index that several endpoints show. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/elasticsearch/index_selection.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/served_index.h"

namespace pmdex {

struct SegmentFacts {
  uint64_t count = 0;
  uint64_t size_bytes = 0;
};

struct IndexFacts {
  uint64_t documents = 0;  // that are not deleted
  uint64_t deleted = 0;    // whose segments were not merged since
  // All segments, whose numbers would tell a user of documents that it may not see: nullopt then.
  std::optional<SegmentFacts> segments;
};
// Of a user's view: the documents that the user may see, and nothing else.
IndexFacts FactsOf(const ServedIndex& index);
// "green", or "red" where a damaged segment does not answer.
std::string_view HealthOf(const ServedIndex& index);
std::string_view HealthOf(IndexSpan indexes);  // the worst

// An id that is the same for the same name, in the form of Elasticsearch's: 22 characters.
std::string UuidOf(const ServedIndex& index);

// The names of all fields, sorted.
std::vector<std::string> FieldNamesOf(const ServedIndex& index);
// {"properties": {...}}: the type of each field of the index; dots make objects.
Json MappingOf(const ServedIndex& index);
// As the mapping of the index declares the field. Otherwise {"type": "text"}, with the analyzer
// where it is not the standard one, or {"type": "long"}.
Json FieldTypeOf(const ServedIndex& index, std::string_view field);
// {"index": {...}}
Json SettingsOf(const ServedIndex& index);

// "14.5kb", as _cat shows sizes.
std::string HumanSize(uint64_t size_bytes);

}  // namespace pmdex
