// Format `jsonl`: each line is one JSON object. The id of the document is the value of the id field
// (a string, or a number in its shortest spelling). Without one it is PATH:LINENO, which is
// reported. Every other string, number and truth value is a value of a field, and so is an object,
// without a text. Values in nested objects have dotted field names (`a.b`); those of an array are
// several values of one field. If fields are listed, only these are indexed; the id field is one of
// them only if it is listed. Blank lines are passed over. A line that is not one valid object is
// reported.
//
// Invalid UTF-8 is replaced by U+FFFD and reported, and the document is indexed. A line whose
// values take more memory than line_memory_bytes is reported.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

inline constexpr int kMaxJsonDepth = 64;

struct JsonlOptions {
  std::string id_field = "id";
  std::vector<std::string> fields;  // empty: all
  // The most that a line of more than 1 MiB may take, together with what the parser makes of it.
  size_t line_memory_bytes = size_t{1} << 30;
  bool nulls = false;  // whether a null is a value, too
};

// `problems` outlives the parser.
std::unique_ptr<BlockParser> NewJsonlParser(JsonlOptions options, ProblemLog& problems);

}  // namespace pmdex
