// Format `lines`: each line is one document with the id PATH:LINENO, counted from 1, and the field
// `body`. A line ends at LF or CR LF, or at the end of the file. Empty lines are counted, but they
// are not documents.
#pragma once

#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"

namespace pmdex {

std::unique_ptr<BlockParser> NewLinesParser();

// Removes the first line from `text` and returns it without its end. Requires !text.empty().
std::string_view TakeLine(std::string_view& text);

}  // namespace pmdex
