// Format `jsonl`: one JSON object a line. The id is the id field (a string, or a number in its
// shortest spelling), else
// PATH:LINENO, which is reported. Every string but those of the id field is a value of a field:
// nested objects by dotted names (`a.b`), strings of an array as several values of one field. With
// a list of fields only these are indexed, the id field too where it is listed. Blank lines are
// passed over; a line that is not one valid object is reported.
//
// Invalid UTF-8 is replaced by U+FFFD and reported, and the document is indexed. A line whose
// values take more memory than it may is reported.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

inline constexpr int kMaxJsonDepth = 64;

struct JsonlOptions {
  std::string id_field = "id";
  std::vector<std::string> fields;  // empty: all
  // Of a line of more than 1 MiB: the line, and what is made of it until it is indexed.
  size_t line_memory_bytes = size_t{1} << 30;
};

// `problems` outlives the parser.
std::unique_ptr<BlockParser> NewJsonlParser(JsonlOptions options, ProblemLog& problems);

}  // namespace pmdex
