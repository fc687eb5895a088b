// Dates as text, and as nanoseconds since 1970 UTC. Parsers of documents, bounds of queries and
// answers use these functions. Thread-safe; they read neither the clock nor the time zone of the
// machine.
//
// The text is RFC 3339, and parts may be missing from its end, as Elasticsearch's
// strict_date_optional_time allows:
//   2026   2026-01   2026-01-31   2026-01-31T10:20   2026-01-31T10:20:30.123456789+02:00
// The zone is Z, +hh:mm or +hhmm, and UTC where it is missing. T and Z may be small letters. The
// second 60 and the hour 24 are refused, as Elasticsearch refuses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pmdex {

// Nanoseconds since 1970 UTC of any date that a text can name; they may be beyond int64_t.
using WideNanoseconds = __int128;

inline constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
inline constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;
inline constexpr int64_t kSecondsPerDay = 86'400;

enum class DatePrecision { kYear, kMonth, kDay, kHour, kMinute, kSecond, kFraction };

struct DateText {
  WideNanoseconds first = 0;  // missing parts are those of the start of the year, month, ...
  WideNanoseconds last = 0;   // missing parts are those of its end
  DatePrecision precision = DatePrecision::kFraction;
  bool has_zone = false;
};

// nullopt if the text is no date.
std::optional<DateText> ParseDateText(std::string_view text);

// True for a time of RFC 3339: a day, a time with seconds, and a zone.
bool IsRfc3339Time(std::string_view text);

// nullopt beyond the dates that 64 bits hold, 1677-09-21T00:12:43.145224192Z to
// 2262-04-11T23:47:16.854775807Z.
std::optional<int64_t> NarrowDate(WideNanoseconds nanoseconds);

// RFC 3339 in UTC with Z, and no more digits of the fraction than the value needs.
std::string FormatDate(int64_t nanoseconds);

}  // namespace pmdex
