// The time stamp of a line of a log, as stamp_search.h finds it and log_clock.h understands it. A
// plain value.
#pragma once

#include <cstdint>
#include <optional>

namespace pmdex {

// A stamp as it is written. All parts are in their ranges, but the day may be one that the month
// does not have.
struct LogStamp {
  // Set by stamps that count from 1970 UTC: nanoseconds. The other parts are 0 then.
  std::optional<int64_t> epoch;
  int year = 0;  // 1970 to 2261; 0: the stamp has none
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;  // up to 60, a leap second
  int nanosecond = 0;
  std::optional<int> offset_seconds;  // east of UTC; nullopt: the stamp has no zone

  friend bool operator==(const LogStamp&, const LogStamp&) = default;
};

}  // namespace pmdex
