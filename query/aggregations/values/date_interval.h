// The intervals of date histograms: a fixed length of time, or so many calendar units of a time
// zone. Plain values and pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"

#include "pmem/status.h"

namespace pmdex {

enum class CalendarUnit { kNone, kMinute, kHour, kDay, kWeek, kMonth, kYear };

struct DateInterval {
  CalendarUnit unit = CalendarUnit::kNone;
  // kNone: nanoseconds. Other units: so many of them; more than one only of kMonth and kYear. A
  // count of months or years begins at month 0 of year 0.
  int64_t count = 0;
  int64_t offset = 0;  // nanoseconds that every interval begins later
  absl::TimeZone zone = absl::UTCTimeZone();
};

// "90s", "10m", "1h", "1d", "7d": a fixed length; also "250ms". nullopt if it is none, or beyond 64
// bits of nanoseconds.
std::optional<int64_t> ParseFixedInterval(std::string_view text);
// The interval of `pmdex search --facet`: a fixed length, or "1w", "1M", "3M", "1q", "1y", "10y" of
// the calendar in UTC. kInvalidArgument if it is none.
absl::StatusOr<DateInterval> ParseDateInterval(std::string_view text);
// UTC, Z, +02:00, -0530 or a name such as Europe/Berlin; nullopt if the machine has no such zone.
// Names are those of files below /usr/share/zoneinfo, or below the directory TZDIR, of at most 64
// bytes; no name leads out of that directory.
std::optional<absl::TimeZone> ParseTimeZone(std::string_view text);

// The start of the interval that has this time, and of the interval behind it, in nanoseconds since
// 1970 UTC. What is beyond 64 bits becomes the least or greatest date.
int64_t StartOfInterval(const DateInterval& interval, int64_t nanoseconds);
int64_t NextInterval(const DateInterval& interval, int64_t start);

// The shortest interval, in UTC, of which at most `most` cover the times from first to last.
DateInterval ChooseDateInterval(int64_t first, int64_t last, uint64_t most);

}  // namespace pmdex
