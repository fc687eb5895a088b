// The parts that forms of time stamps share (stamp_forms.h): the time of a day with its fraction
// and zone, the name of a month, and numbers that count from 1970. Thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "engine/ingest/logs/log_stamp.h"
#include "engine/ingest/logs/stamp_cursor.h"

namespace pmdex {

struct StampTimeRules {
  bool needs_seconds = false;
  char separator = ':';  // between hours, minutes and seconds
};

// Takes a time of a day, with AM or PM, a fraction and a zone where they follow, and returns `date`
// with it. Requires nothing of the cursor where it fails.
std::optional<LogStamp> TakeTimeOfDay(StampCursor& text, LogStamp date,
                                      const StampTimeRules& rules = {});
// Takes `102030`, with a fraction and a zone where they follow.
std::optional<LogStamp> TakeSixDigitTime(StampCursor& text, LogStamp date);

// Takes three letters of the name of a month, and returns its number, from 1.
std::optional<int> TakeMonthName(StampCursor& text);
// True if the letters begin the name of a month.
bool IsMonthName(std::string_view text);

// A number of seconds, with a fraction, or of milliseconds, microseconds or nanoseconds since 1970,
// which the count of its digits tells. nullopt before 2001-09-09 and from 2100 on.
std::optional<LogStamp> EpochStamp(std::string_view text);

}  // namespace pmdex
