// The times of the lines of logs: stamps (stamp_search.h) become nanoseconds since 1970 UTC. A
// stamp without a zone is in the zone of the clock. A stamp without a year has the latest year that
// puts it at or before the time at which its file was last changed. Thread-safe and immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"

#include "pmem/status.h"

namespace pmdex {

inline constexpr std::string_view kLogTimeField = "time";

class LogClock {
 public:
  // zone: `UTC`, `Z`, `+01:00`, `-0530`, or a name of the IANA database such as `Europe/Berlin`,
  // which the machine must have. kInvalidArgument otherwise.
  static absl::StatusOr<LogClock> Open(std::string_view zone);

  // The time of the stamp in the line; nullopt if it has none, or if the stamp is no time that
  // there is. mtime: of the file, in nanoseconds since 1970 UTC.
  std::optional<int64_t> TimeOf(std::string_view line, int64_t mtime) const;

  // The time of the last line that has a stamp; nullopt if none has one. `text` begins at the
  // beginning of a line. A line ends at LF.
  std::optional<int64_t> LastTimeIn(std::string_view text, int64_t mtime) const;

 private:
  explicit LogClock(const absl::TimeZone& zone, std::optional<int64_t> offset_seconds)
      : zone_(zone), offset_seconds_(offset_seconds) {}
  // Seconds since 1970 UTC of a time that the calendar has. seconds: of the day.
  int64_t SecondsOf(int64_t days, int64_t seconds, std::optional<int> offset_seconds) const;

  absl::TimeZone zone_;
  std::optional<int64_t> offset_seconds_;  // of the zone, if it is always the same
};

}  // namespace pmdex
