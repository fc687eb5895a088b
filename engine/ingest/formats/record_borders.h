// Where the records of the formats with many documents in a file end. Whether a place is a border
// never depends on the text before it: a file may be looked at from anywhere. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"

namespace pmdex {

// Both return an offset behind a record (0 < border <= size), or 0 when there is none.
struct RecordBorders {
  size_t (*last)(std::string_view text);
  // The first border that needs bytes at or behind `from`.
  size_t (*first)(std::string_view text, size_t from);
  ProblemKind too_large;
};
const RecordBorders& BordersOf(InputFormat format);  // kLines, kJsonl, kTrec

// Newlines in the text.
uint64_t CountLines(std::string_view text);

}  // namespace pmdex
