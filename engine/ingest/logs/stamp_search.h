// Finds the time stamp of a line of a log. The forms are those of syslog (RFC 3164 and 5424),
// RFC 3339 and its variants, web servers, and common loggers; docs/FIELDS.md lists them. What is
// found depends on the line alone. Thread-safe; never allocates.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/ingest/logs/log_stamp.h"

namespace pmdex {

// So much of a line is looked at.
inline constexpr size_t kMostBytesBeforeStamp = 256;

// The leftmost stamp of the line. nullopt if it has none.
std::optional<LogStamp> FindLogStamp(std::string_view line);

}  // namespace pmdex
