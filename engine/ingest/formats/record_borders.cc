#include "engine/ingest/formats/record_borders.h"

#include <algorithm>
#include <array>

#include "engine/ingest/formats/trec.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

size_t LastLineBorder(std::string_view text) {
  const size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t FirstLineBorder(std::string_view text, size_t from) {
  const size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

constexpr RecordBorders kLineBorders = {LastLineBorder, FirstLineBorder, ProblemKind::kLineTooLong};
constexpr RecordBorders kTrecBorders = {LastTrecBorder, FirstTrecBorder,
                                        ProblemKind::kDocumentTooLarge};

}  // namespace

const RecordBorders& BordersOf(InputFormat format) {
  PMDEX_CHECK(format != InputFormat::kAuto && format != InputFormat::kFiles);
  return format == InputFormat::kTrec ? kTrecBorders : kLineBorders;
}

// Counts in bytes, one a column, which compilers make vectors of; before one can overflow they are
// added up.
uint64_t CountLines(std::string_view text) {
  constexpr size_t kColumns = 64;
  constexpr size_t kMostRows = 255;
  uint64_t lines = 0;
  while (text.size() >= kColumns) {
    const size_t rows = std::min(text.size() / kColumns, kMostRows);
    std::array<uint8_t, kColumns> counts{};
    for (size_t row = 0; row < rows; ++row) {
      const char* const bytes = text.data() + row * kColumns;
      for (size_t column = 0; column < kColumns; ++column) {
        counts[column] = static_cast<uint8_t>(counts[column] + (bytes[column] == '\n'));
      }
    }
    for (const uint8_t count : counts) lines += count;
    text.remove_prefix(rows * kColumns);
  }
  return lines + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace pmdex
