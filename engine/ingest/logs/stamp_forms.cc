#include "engine/ingest/logs/stamp_forms.h"

#include "engine/ingest/logs/stamp_cursor.h"
#include "engine/ingest/logs/stamp_time.h"

namespace pmdex {
namespace {

constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2261;
// As POSIX reads years of two digits.
constexpr int kFirstShortYear = 69;

constexpr StampTimeRules kWithSeconds = {.needs_seconds = true};

std::optional<int> TakeYear(StampCursor& text) {
  if (text.CountDigits(5) != 4) return std::nullopt;
  return text.TakeNumber(4, 4, kFirstYear, kLastYear);
}

int YearOfTwoDigits(int year) {
  return year + (year >= kFirstShortYear ? 1900 : 2000);
}

std::optional<int> TakeMonth(StampCursor& text, size_t least = 2) {
  return text.TakeNumber(least, 2, 1, 12);
}

std::optional<int> TakeDay(StampCursor& text, size_t least = 2) {
  return text.TakeNumber(least, 2, 1, 31);
}

std::optional<LogStamp> DateOf(int year, std::optional<int> month, std::optional<int> day) {
  if (!month.has_value() || !day.has_value()) return std::nullopt;
  LogStamp date;
  date.year = year;
  date.month = *month;
  date.day = *day;
  return date;
}

// `2026-01-31T10:20:30`, `2026/01/31 10:20:30`, `2005-06-03-15.42.50`, `2026 Jan 31 10:20:30`.
std::optional<LogStamp> StampOfLongYear(StampCursor text) {
  const auto year = TakeYear(text);
  if (!year.has_value()) return std::nullopt;
  const char separator = text.TakeOneOf("-/. ");
  if (separator == '\0') return std::nullopt;
  const bool is_named = StampCursor::IsLetter(text.peek());
  if (separator == ' ' && !is_named) return std::nullopt;
  const auto month = is_named ? TakeMonthName(text) : TakeMonth(text, 1);
  if (!text.Take(separator)) return std::nullopt;
  const auto date = DateOf(*year, month, TakeDay(text, 1));
  if (!date.has_value()) return std::nullopt;
  if (text.Take(' ')) {
    text.Take(' ');
    return TakeTimeOfDay(text, *date);
  }
  const char before_time = text.TakeOneOf("Tt_-:,");
  if (before_time == '\0') return std::nullopt;
  if (before_time == ',') text.Take(' ');
  StampTimeRules rules;
  if (before_time == '-' && text.peek(2) == '.') rules = {.needs_seconds = true, .separator = '.'};
  return TakeTimeOfDay(text, *date, rules);
}

// `081109 203615`, `260131  9:05:07`: a year of two digits.
std::optional<LogStamp> StampOfSixDigits(StampCursor text) {
  const auto year = text.TakeNumber(2, 2);
  const auto month = TakeMonth(text);
  const auto date = DateOf(YearOfTwoDigits(year.value_or(0)), month, TakeDay(text));
  if (!date.has_value() || !text.Take(' ')) return std::nullopt;
  if (text.CountDigits(6) == 6) return TakeSixDigitTime(text, *date);
  text.Take(' ');
  return TakeTimeOfDay(text, *date, kWithSeconds);
}

// `20260131T102030Z`, `20260131 10:20:30.123`, `20171223-22:15:29:606`, `20260131102030`.
std::optional<LogStamp> StampOfEightDigits(StampCursor text, size_t digits) {
  const auto year = text.TakeNumber(4, 4, kFirstYear, kLastYear);
  if (!year.has_value()) return std::nullopt;
  const auto month = TakeMonth(text);
  const auto date = DateOf(*year, month, TakeDay(text));
  if (!date.has_value()) return std::nullopt;
  if (digits == 14) return TakeSixDigitTime(text, *date);
  if (text.TakeOneOf("Tt -_") == '\0') return std::nullopt;
  if (text.CountDigits(6) == 6) return TakeSixDigitTime(text, *date);
  return TakeTimeOfDay(text, *date, kWithSeconds);
}

// `31 Jan 2026 10:20:30`, `31-Jan-2026 10:20:30`, `10/Oct/2000:13:55:36 -0700`.
std::optional<LogStamp> StampOfNamedMonth(int day, char separator, StampCursor text) {
  const auto month = TakeMonthName(text);
  if (!month.has_value() || !text.Take(separator)) return std::nullopt;
  const auto year = TakeYear(text);
  if (!year.has_value()) return std::nullopt;
  const auto date = DateOf(*year, month, day);
  text.Take(',');
  if (text.TakeOneOf(" :T") == '\0' || !date.has_value()) return std::nullopt;
  return TakeTimeOfDay(text, *date);
}

// `17/06/09 20:10:40` is the year first; `06/09/2017 20:10:40` and `06-09-2017` the month first;
// `09.06.2017 20:10:40` the day first.
std::optional<LogStamp> StampOfThreeNumbers(int first, char separator, int second,
                                            StampCursor text) {
  std::optional<LogStamp> date;
  if (const auto year = TakeYear(text)) {
    const bool day_first = separator == '.';
    const int month = day_first ? second : first;
    if (month > 12) return std::nullopt;
    date = DateOf(*year, month, day_first ? first : second);
  } else if (separator == '/' && text.CountDigits(3) == 2 && second <= 12) {
    date = DateOf(YearOfTwoDigits(first), second, TakeDay(text));
  }
  if (!date.has_value() || date->month < 1 || date->day < 1 || date->day > 31) return std::nullopt;
  text.Take(',');
  if (!text.Take(' ')) return std::nullopt;
  return TakeTimeOfDay(text, *date, kWithSeconds);
}

// A day or a month, or a year of two digits.
std::optional<LogStamp> StampOfShortNumber(StampCursor text, char before) {
  const auto first = text.TakeNumber(1, 2);
  const char separator = text.TakeOneOf("/-. ");
  if (!first.has_value() || separator == '\0') return std::nullopt;
  if (StampCursor::IsLetter(text.peek())) {
    if (*first < 1 || *first > 31 || separator == '.') return std::nullopt;
    return StampOfNamedMonth(*first, separator, text);
  }
  const auto second = text.TakeNumber(1, 2);
  if (!second.has_value()) return std::nullopt;
  if (separator != ' ' && text.Take(separator)) {
    return StampOfThreeNumbers(*first, separator, *second, text);
  }
  // `03-17 16:13:38.811` of Android, `[10.30 16:49:06]` of Proxifier: no year.
  const bool has_no_year = separator == '-' || (separator == '.' && before == '[');
  if (!has_no_year || *first < 1 || *first > 12 || *second < 1 || *second > 31) {
    return std::nullopt;
  }
  if (!text.Take(' ')) return std::nullopt;
  return TakeTimeOfDay(text, *DateOf(0, first, second), kWithSeconds);
}

// The year that may follow the time: `Sun Dec 04 04:47:44 2005`, `Dec  4 04:47:44 UTC 2005`.
std::optional<int> TakeYearBehind(StampCursor text) {
  if (!text.Take(' ')) return std::nullopt;
  StampCursor behind_zone = text;
  size_t letters = 0;
  while (letters < 5 && StampCursor::IsLetter(behind_zone.peek(letters))) ++letters;
  if (letters >= 3 && letters < 5 && behind_zone.peek(letters) == ' ') {
    behind_zone.Skip(letters + 1);
    text = behind_zone;
  }
  const auto year = TakeYear(text);
  const char next = text.peek();
  const bool ends = next == '\0' || next == ' ' || next == ']' || next == ':' || next == '"';
  return ends ? year : std::nullopt;
}

}  // namespace

std::optional<LogStamp> StampAtDigit(std::string_view text, char before, bool may_be_epoch) {
  constexpr size_t kMostDigits = 20;
  const StampCursor cursor(text);
  const size_t digits = cursor.CountDigits(kMostDigits);
  switch (digits) {
    case 1:
    case 2:
      return StampOfShortNumber(cursor, before);
    case 4:
      return StampOfLongYear(cursor);
    case 6:
      return StampOfSixDigits(cursor);
    case 8:
    case 14:
      return StampOfEightDigits(cursor, digits);
    default:
      return may_be_epoch ? EpochStamp(text) : std::nullopt;
  }
}

std::optional<LogStamp> StampAtMonth(std::string_view text) {
  StampCursor cursor(text);
  const auto month = TakeMonthName(cursor);
  if (!month.has_value() || !cursor.Take(' ')) return std::nullopt;
  cursor.Take(' ');
  auto date = DateOf(0, month, TakeDay(cursor, 1));
  if (!date.has_value()) return std::nullopt;
  const bool has_comma = cursor.Take(',');
  if (!cursor.Take(' ')) return std::nullopt;
  if (const auto year = TakeYear(cursor)) {
    date->year = *year;
    cursor.TakeOneOf(has_comma ? "," : ":");
    if (!cursor.Take(' ')) return std::nullopt;
    return TakeTimeOfDay(cursor, *date, kWithSeconds);
  }
  auto stamp = TakeTimeOfDay(cursor, *date, kWithSeconds);
  if (!stamp.has_value()) return std::nullopt;
  stamp->year = TakeYearBehind(cursor).value_or(0);
  return stamp;
}

std::optional<LogStamp> StampOfGlog(std::string_view text) {
  StampCursor cursor(text);
  if (cursor.TakeOneOf("IWEFD") == '\0') return std::nullopt;
  int year = 0;
  const size_t digits = cursor.CountDigits(9);
  if (digits == 8) year = cursor.TakeNumber(4, 4, kFirstYear, kLastYear).value_or(0);
  if ((digits != 4 && digits != 8) || (digits == 8 && year == 0)) return std::nullopt;
  const auto month = TakeMonth(cursor);
  const auto date = DateOf(year, month, TakeDay(cursor));
  if (!date.has_value() || !cursor.Take(' ')) return std::nullopt;
  return TakeTimeOfDay(cursor, *date, kWithSeconds);
}

}  // namespace pmdex
