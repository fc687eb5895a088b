// The parameter filter_path: which parts of an answer a client wants. A pattern is a path with
// dots;
// `*` stands for a run of characters in one part, `**` for any number of parts, and `-` before a
// pattern leaves out what it matches. Lists are transparent. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// What the patterns leave of the answer; an empty object if nothing. Raw values (RawJson) that the
// patterns keep whole stay raw.
Json FilteredByPath(const Json& answer, const std::vector<std::string>& patterns);

}  // namespace pmdex
