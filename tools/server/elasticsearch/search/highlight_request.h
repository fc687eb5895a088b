// What a search shall highlight. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

struct HighlightField {
  std::string pattern;  // of field names
  std::vector<std::string> pre_tags = {"<em>"};
  std::vector<std::string> post_tags = {"</em>"};
  size_t fragment_size = 100;       // characters; 0: each fragment is a sentence
  size_t number_of_fragments = 5;   // 0: the whole text
  size_t no_match_size = 0;         // characters to show of a text without a match
  bool require_field_match = true;  // only words that the query searches in this field
};

// The fields of a `highlight` object, in order; options beside `fields` are those of every field.
absl::StatusOr<std::vector<HighlightField>> ReadHighlight(const Json& value);

}  // namespace pmdex
