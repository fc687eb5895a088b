#include "engine/columns/date_math.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <system_error>

#include "engine/columns/date_text.h"

namespace pmdex {
namespace {

using std::chrono::year_month_day;

constexpr std::string_view kNow = "now";
constexpr std::string_view kMathMark = "||";
constexpr WideNanoseconds kDay = WideNanoseconds{86'400} * kNanosecondsPerSecond;
// Of a step, so that no sum overflows; 10,000 years have fewer seconds.
constexpr int64_t kMostUnits = 1'000'000'000'000;
// Months are counted within these years.
constexpr int64_t kMostYears = 30'000;

WideNanoseconds FloorTo(WideNanoseconds value, WideNanoseconds unit) {
  const WideNanoseconds rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

// The fixed length of a unit; nullopt for months and years, and for what is no unit.
std::optional<WideNanoseconds> LengthOf(char unit) {
  switch (unit) {
    case 's':
      return kNanosecondsPerSecond;
    case 'm':
      return WideNanoseconds{60} * kNanosecondsPerSecond;
    case 'h':
    case 'H':
      return WideNanoseconds{3600} * kNanosecondsPerSecond;
    case 'd':
      return kDay;
    case 'w':
      return kDay * 7;
    default:
      return std::nullopt;
  }
}

struct DayAndTime {
  year_month_day day;
  WideNanoseconds time;  // since midnight
};

// nullopt where the calendar of the standard library ends.
std::optional<DayAndTime> Split(WideNanoseconds value) {
  const WideNanoseconds midnight = FloorTo(value, kDay);
  const WideNanoseconds days = midnight / kDay;
  constexpr int64_t kMostDays = kMostYears * 366;
  if (days < -kMostDays || days > kMostDays) return std::nullopt;
  const std::chrono::sys_days date(std::chrono::days(static_cast<int>(days)));
  return DayAndTime{year_month_day(date), value - midnight};
}

WideNanoseconds StartOf(const year_month_day& day) {
  return WideNanoseconds{std::chrono::sys_days(day).time_since_epoch().count()} * kDay;
}

std::optional<WideNanoseconds> AddMonths(WideNanoseconds value, int64_t months) {
  const auto split = Split(value);
  if (!split.has_value() || months > kMostYears * 12 || months < -kMostYears * 12) {
    return std::nullopt;
  }
  const year_month_day& day = split->day;
  const int64_t total =
      int64_t{static_cast<int>(day.year())} * 12 + static_cast<unsigned>(day.month()) - 1 + months;
  const int64_t year = (total >= 0 ? total : total - 11) / 12;
  if (year < -kMostYears || year > kMostYears) return std::nullopt;
  const std::chrono::year_month_day_last last(std::chrono::year{static_cast<int>(year)},
                                              std::chrono::month_day_last(std::chrono::month{
                                                  static_cast<unsigned>(total - year * 12 + 1)}));
  const year_month_day moved(last.year(), last.month(), std::min(day.day(), last.day()));
  return StartOf(moved) + split->time;
}

std::optional<WideNanoseconds> Step(WideNanoseconds value, int64_t count, char unit) {
  if (unit == 'M') return AddMonths(value, count);
  if (unit == 'y') return AddMonths(value, count * 12);
  const auto length = LengthOf(unit);
  if (!length.has_value()) return std::nullopt;
  return value + *length * count;
}

// The first nanosecond of the unit that the value is in.
std::optional<WideNanoseconds> RoundDown(WideNanoseconds value, char unit) {
  if (unit == 'w') {
    const WideNanoseconds monday = -3 * kDay;  // 1970-01-01 was a Thursday
    return FloorTo(value - monday, 7 * kDay) + monday;
  }
  if (const auto length = LengthOf(unit); length.has_value()) return FloorTo(value, *length);
  if (unit != 'M' && unit != 'y') return std::nullopt;
  const auto split = Split(value);
  if (!split.has_value()) return std::nullopt;
  const std::chrono::month month = unit == 'y' ? std::chrono::January : split->day.month();
  return StartOf(year_month_day(split->day.year(), month, std::chrono::day{1}));
}

std::optional<WideNanoseconds> Round(WideNanoseconds value, char unit, DateRounding rounding) {
  const auto start = RoundDown(value, unit);
  if (!start.has_value() || rounding == DateRounding::kStart) return start;
  const auto next = Step(*start, 1, unit);
  if (!next.has_value()) return std::nullopt;
  return *next - 1;
}

// "+1M/d": any number of steps.
std::optional<WideNanoseconds> Apply(WideNanoseconds value, std::string_view math,
                                     DateRounding rounding) {
  std::optional<WideNanoseconds> result = value;
  while (result.has_value() && !math.empty()) {
    const char sign = math[0];
    if (sign != '+' && sign != '-' && sign != '/') return std::nullopt;
    int64_t count = 1;
    const char* const begin = math.data() + 1;
    const char* const end = math.data() + math.size();
    const bool has_count = sign != '/' && begin < end && *begin >= '0' && *begin <= '9';
    const auto read =
        has_count ? std::from_chars(begin, end, count) : std::from_chars_result{begin, std::errc()};
    if (read.ec != std::errc() || read.ptr == end || count > kMostUnits) return std::nullopt;
    const char unit = *read.ptr;
    math.remove_prefix(static_cast<size_t>(read.ptr + 1 - math.data()));
    result = sign == '/' ? Round(*result, unit, rounding)
                         : Step(*result, sign == '-' ? -count : count, unit);
  }
  return result;
}

std::optional<WideNanoseconds> ParseAnchor(std::string_view text, DateRounding rounding) {
  if (const auto date = ParseDateText(text); date.has_value()) {
    return rounding == DateRounding::kStart ? date->first : date->last;
  }
  int64_t milliseconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  if (read.ec == std::errc::result_out_of_range) {
    milliseconds = text.starts_with('-') ? std::numeric_limits<int64_t>::min()
                                         : std::numeric_limits<int64_t>::max();
  }
  const WideNanoseconds start = WideNanoseconds{milliseconds} * kNanosecondsPerMillisecond;
  return rounding == DateRounding::kStart ? start : start + kNanosecondsPerMillisecond - 1;
}

DateBound Narrow(WideNanoseconds value) {
  using Limits = std::numeric_limits<int64_t>;
  if (value < Limits::min()) return {Limits::min(), -1};
  if (value > Limits::max()) return {Limits::max(), 1};
  return {static_cast<int64_t>(value), 0};
}

}  // namespace

std::optional<DateBound> ParseDateBound(std::string_view text, int64_t now, DateRounding rounding) {
  std::optional<WideNanoseconds> value;
  std::string_view math;
  if (text.starts_with(kNow)) {
    value = now;
    math = text.substr(kNow.size());
  } else if (const size_t mark = text.find(kMathMark); mark != std::string_view::npos) {
    math = text.substr(mark + kMathMark.size());
    // What follows says how to round.
    value = ParseAnchor(text.substr(0, mark), math.empty() ? rounding : DateRounding::kStart);
  } else {
    value = ParseAnchor(text, rounding);
  }
  if (!value.has_value()) return std::nullopt;
  value = Apply(*value, math, rounding);
  if (!value.has_value()) return std::nullopt;
  return Narrow(*value);
}

}  // namespace pmdex
