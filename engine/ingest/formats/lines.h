// Format `lines`: one document a line, id PATH:LINENO counted from 1, field `body`. A line ends at
// LF or CR LF, or at the end of the file. Empty lines count as lines and are no documents.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"

namespace pmdex {

std::unique_ptr<BlockParser> NewLinesParser();

// Takes the first line off `text`, without its end. Requires text not empty.
std::string_view TakeLine(std::string_view& text);

}  // namespace pmdex
