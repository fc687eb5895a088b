// Format `jsonl`: one JSON object a line. The id is the id field (a string, or a number in its
// shortest spelling), else
// PATH:LINENO, which is reported. Every string is a value of a field: nested objects by dotted
// names (`a.b`), strings of an array as several values of one field. With a list of fields only
// these are indexed. Blank lines are passed over; a line that is not one valid object is reported.
//
// Invalid UTF-8 is replaced by U+FFFD and reported, and the document is indexed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/document.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

inline constexpr int kMaxJsonDepth = 64;

struct JsonlOptions {
  std::string id_field = "id";
  std::vector<std::string> fields;  // empty: all
};

// `problems` outlives the parser.
std::unique_ptr<BlockParser> NewJsonlParser(JsonlOptions options, ProblemLog& problems);

}  // namespace pmdex
