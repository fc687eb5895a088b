#include "engine/ingest/logs/log_clock.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

#include "engine/columns/date_text.h"
#include "engine/ingest/logs/log_stamp.h"
#include "engine/ingest/logs/stamp_search.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// A stamp without a year is looked for so far back: the 29th of February may be eight years away.
constexpr int kYearsBack = 11;

bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

// Days since 1970-01-01 of a day of the Gregorian calendar; Howard Hinnant, "chrono-Compatible
// Low-Level Date Algorithms", days_from_civil. Requires year >= 0.
int64_t DaysSince1970(int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = year / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

// "+01:00" or "+0100" in seconds.
std::optional<int64_t> ParseOffset(std::string_view text) {
  const bool has_colon = text.size() == 6 && text[3] == ':';
  if (!has_colon && text.size() != 5) return std::nullopt;
  const std::string_view minute_digits = text.substr(has_colon ? 4 : 3);
  unsigned hours = 0;
  unsigned minutes = 0;
  const auto hours_end = std::from_chars(text.data() + 1, text.data() + 3, hours);
  const char* const end = minute_digits.data() + minute_digits.size();
  const auto minutes_end = std::from_chars(minute_digits.data(), end, minutes);
  if (hours_end.ptr != text.data() + 3 || minutes_end.ptr != end) return std::nullopt;
  if (hours > 18 || minutes > 59) return std::nullopt;
  const int64_t seconds = (int64_t{hours} * 60 + minutes) * 60;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

absl::StatusOr<LogClock> LogClock::Open(std::string_view zone) {
  if (zone == "UTC" || zone == "Z") return LogClock(absl::UTCTimeZone(), 0);
  if (zone.starts_with('+') || zone.starts_with('-')) {
    const auto seconds = ParseOffset(zone);
    if (seconds.has_value()) return LogClock(absl::UTCTimeZone(), seconds);
  } else if (absl::TimeZone named; !zone.empty() && absl::LoadTimeZone(ToAbsl(zone), &named)) {
    return LogClock(named, std::nullopt);
  }
  return InvalidArgument(absl::StrCat("'", ToAbsl(zone),
                                      "' is no time zone: UTC, +01:00, or a name as "
                                      "Europe/Berlin that this machine knows"));
}

int64_t LogClock::SecondsOf(int64_t days, int64_t seconds,
                            std::optional<int> offset_seconds) const {
  const int64_t local = days * kSecondsPerDay + seconds;
  if (offset_seconds.has_value()) return local - *offset_seconds;
  if (offset_seconds_.has_value()) return local - *offset_seconds_;
  const absl::CivilSecond civil = absl::CivilSecond(1970, 1, 1, 0, 0, 0) + local;
  return absl::ToUnixSeconds(zone_.At(civil).pre);
}

std::optional<int64_t> LogClock::TimeOf(std::string_view line, int64_t mtime) const {
  const std::optional<LogStamp> stamp = FindLogStamp(line);
  if (!stamp.has_value()) return std::nullopt;
  if (stamp->epoch.has_value()) return stamp->epoch;
  const int64_t seconds = (int64_t{stamp->hour} * 60 + stamp->minute) * 60 + stamp->second;
  const auto time_in = [&](int64_t year) {
    const int64_t days = DaysSince1970(year, stamp->month, stamp->day);
    return SecondsOf(days, seconds, stamp->offset_seconds) * kNanosecondsPerSecond +
           stamp->nanosecond;
  };
  if (stamp->year != 0) {
    if (stamp->day > DaysInMonth(stamp->year, stamp->month)) return std::nullopt;
    return time_in(stamp->year);
  }
  // At least the year of the mtime in any zone, and at most one more.
  constexpr int64_t kShortestYear = 365 * kSecondsPerDay;
  int64_t latest = 1970 + mtime / kNanosecondsPerSecond / kShortestYear + 1;
  constexpr int64_t kLastYear = 2261;
  latest = latest > kLastYear ? kLastYear : latest;
  for (int64_t year = latest; year > latest - kYearsBack && year > 0; --year) {
    if (stamp->day > DaysInMonth(year, stamp->month)) continue;
    const int64_t time = time_in(year);
    if (time <= mtime) return time;
  }
  return std::nullopt;
}

std::optional<int64_t> LogClock::LastTimeIn(std::string_view text, int64_t mtime) const {
  while (!text.empty()) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const size_t newline = text.rfind('\n');
    const size_t begin = newline == text.npos ? 0 : newline + 1;
    if (const auto time = TimeOf(text.substr(begin), mtime)) return time;
    text = text.substr(0, begin);
  }
  return std::nullopt;
}

}  // namespace pmdex
