// The bound of a range over dates, as queries write it:
//   a date as documents write it (date_text.h), or an integer, which is milliseconds since 1970
//   now, now-7d, now+1M/d, 2026-01-31||+1M/d, with the units s m h d w M y
// Pure functions: the caller says what time it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

// How parts that are missing from a date are filled, and to which end `/d` rounds. A bound of `>`
// or `<=` goes to the end of the day (month, ...), a bound of `>=` or `<` to its start.
enum class DateRounding { kStart, kEnd };

struct DateBound {
  int64_t nanoseconds = 0;  // the nearest date that a value can be
  // -1: the bound is before every date that a value can be; 1: behind all of them; 0: neither.
  int beyond = 0;

  friend bool operator==(const DateBound&, const DateBound&) = default;
};

// nullopt if the text is no bound. now: nanoseconds since 1970 UTC. Weeks begin on Monday; months
// and years keep the day, or take the last one of a shorter month.
std::optional<DateBound> ParseDateBound(std::string_view text, int64_t now, DateRounding rounding);

}  // namespace pmdex
