// The forms of time stamps, by what they begin with. Each function looks at the beginning of its
// text alone; stamp_search.h chooses the place. Thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "engine/ingest/logs/log_stamp.h"

namespace pmdex {

// A stamp that begins with a digit. before: the character before it, 0 at the beginning of a line.
// may_be_epoch: whether a number may be a stamp that counts from 1970.
std::optional<LogStamp> StampAtDigit(std::string_view text, char before, bool may_be_epoch);
// A stamp that begins with the name of a month: `Jan  2 03:04:05`.
std::optional<LogStamp> StampAtMonth(std::string_view text);
// The stamp of glog and klog, which begins with the letter of a severity: `I0131 10:20:30.123456`.
std::optional<LogStamp> StampOfGlog(std::string_view text);

}  // namespace pmdex
