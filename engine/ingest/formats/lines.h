// Format `lines`: each line is one document with the id PATH:LINENO, counted from 1, and the field
// `body`. A line ends at LF or CR LF, or at the end of the file. Empty lines are counted, but they
// are not documents. A line without a time has that of the line before it.
#pragma once

#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/logs/log_clock.h"

namespace pmdex {

// clock: finds the times of lines, which become the field `time`; may be null, and outlives the
// parser.
std::unique_ptr<BlockParser> NewLinesParser(const LogClock* clock = nullptr);

// Removes the first line from `text` and returns it without its end. Requires !text.empty().
std::string_view TakeLine(std::string_view& text);

}  // namespace pmdex
