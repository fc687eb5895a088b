// Finds the ends of records, in the formats with many documents in a file. Whether a place is a
// border never depends on the text before it, so a search may begin anywhere in a file. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"

namespace pmdex {

// Both functions return the offset behind a record (0 < border <= size), or 0 if they find none.
struct RecordBorders {
  size_t (*last)(std::string_view text);
  // Finds the first border that depends on bytes at or behind `from`.
  size_t (*first)(std::string_view text, size_t from);
  ProblemKind too_large;  // what a record beyond the limit is reported as
};
const RecordBorders& BordersOf(InputFormat format);  // kLines, kJsonl, kTrec

// Newlines in the text.
uint64_t CountLines(std::string_view text);

}  // namespace pmdex
