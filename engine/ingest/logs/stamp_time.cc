#include "engine/ingest/logs/stamp_time.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/columns/date_text.h"

namespace pmdex {
namespace {

constexpr int kSecondsPerMinute = 60;
constexpr int kSecondsPerHour = 3600;
constexpr int kNanosecondDigits = 9;
constexpr int kNanosecondsPerMs = 1'000'000;
// No zone is farther from UTC.
constexpr int kMostZoneHours = 14;

// Takes all digits of a fraction and returns its nanoseconds.
int TakeFraction(StampCursor& text) {
  int nanoseconds = 0;
  int digits = 0;
  for (; StampCursor::IsDigit(text.peek()); text.Skip(1)) {
    if (digits == kNanosecondDigits) continue;
    nanoseconds = nanoseconds * 10 + (text.peek() - '0');
    ++digits;
  }
  for (; digits < kNanosecondDigits; ++digits) nanoseconds *= 10;
  return nanoseconds;
}

// What may follow the seconds: `.5`, `,123`, or milliseconds behind a colon.
int TakeSubsecond(StampCursor& text) {
  const bool is_digit = StampCursor::IsDigit(text.peek(1));
  if (is_digit && (text.peek() == '.' || text.peek() == ',')) {
    text.Skip(1);
    return TakeFraction(text);
  }
  if (is_digit && text.peek() == ':') {
    StampCursor rest = text;
    rest.Skip(1);
    if (rest.CountDigits(4) > 3) return 0;
    text = rest;
    return text.TakeNumber(1, 3).value_or(0) * kNanosecondsPerMs;
  }
  return 0;
}

// `+01:00`, `+0100` or `+01`; takes it if it is one.
std::optional<int> TakeOffset(StampCursor& text) {
  StampCursor rest = text;
  const char sign = rest.TakeOneOf("+-");
  if (sign == '\0') return std::nullopt;
  const auto hours = rest.TakeNumber(2, 2, 0, kMostZoneHours);
  if (!hours.has_value()) return std::nullopt;
  const bool has_colon = rest.Take(':');
  const auto minutes = rest.TakeNumber(2, 2, 0, 59);
  if (!minutes.has_value() && (has_colon || StampCursor::IsDigit(rest.peek()))) return std::nullopt;
  if (StampCursor::IsDigit(rest.peek()) || minutes.value_or(0) % 15 != 0) return std::nullopt;
  text = rest;
  const int seconds = *hours * kSecondsPerHour + minutes.value_or(0) * kSecondsPerMinute;
  return sign == '-' ? -seconds : seconds;
}

// A zone directly behind the time, or behind one space. An abbreviation other than UTC and GMT is
// none: most of them stand for several zones.
std::optional<int> TakeZone(StampCursor& text) {
  if (text.TakeWord("Z") || text.TakeWord("z")) return 0;
  if (const auto offset = TakeOffset(text)) return offset;
  StampCursor rest = text;
  rest.Take(' ');
  if (rest.TakeWord("UTC") || rest.TakeWord("GMT")) {
    text = rest;
    return 0;
  }
  // Behind a space only four digits are an offset: `-1` may be a number of the message.
  StampCursor digits = rest;
  if (digits.TakeOneOf("+-") == '\0' || digits.CountDigits(5) != 4) return std::nullopt;
  const auto offset = TakeOffset(rest);
  if (offset.has_value()) text = rest;
  return offset;
}

// The hour by a clock of 24 hours, if AM or PM follows; nullopt if the hour has none such.
std::optional<int> TakeHalfOfDay(StampCursor& text, int hour) {
  StampCursor rest = text;
  rest.Take(' ');
  const bool is_morning = rest.TakeWord("AM") || rest.TakeWord("am");
  const bool is_evening = !is_morning && (rest.TakeWord("PM") || rest.TakeWord("pm"));
  if (!is_morning && !is_evening) return hour;
  if (hour < 1 || hour > 12) return std::nullopt;
  text = rest;
  return hour % 12 + (is_evening ? 12 : 0);
}

}  // namespace

std::optional<LogStamp> TakeTimeOfDay(StampCursor& text, LogStamp date,
                                      const StampTimeRules& rules) {
  const auto hour = text.TakeNumber(1, 2, 0, 23);
  if (!hour.has_value() || !text.Take(rules.separator)) return std::nullopt;
  const auto minute = text.TakeNumber(1, 2, 0, 59);
  if (!minute.has_value()) return std::nullopt;
  date.minute = *minute;
  if (text.peek() == rules.separator && StampCursor::IsDigit(text.peek(1))) {
    text.Skip(1);
    const auto second = text.TakeNumber(1, 2, 0, 60);
    if (!second.has_value()) return std::nullopt;
    date.second = *second;
    date.nanosecond = TakeSubsecond(text);
  } else if (rules.needs_seconds) {
    return std::nullopt;
  }
  if (StampCursor::IsDigit(text.peek())) return std::nullopt;
  const auto whole_hour = TakeHalfOfDay(text, *hour);
  if (!whole_hour.has_value()) return std::nullopt;
  date.hour = *whole_hour;
  date.offset_seconds = TakeZone(text);
  return date;
}

std::optional<LogStamp> TakeSixDigitTime(StampCursor& text, LogStamp date) {
  if (text.CountDigits(7) != 6) return std::nullopt;
  const auto hour = text.TakeNumber(2, 2, 0, 23);
  const auto minute = text.TakeNumber(2, 2, 0, 59);
  const auto second = text.TakeNumber(2, 2, 0, 60);
  if (!hour.has_value() || !minute.has_value() || !second.has_value()) return std::nullopt;
  date.hour = *hour;
  date.minute = *minute;
  date.second = *second;
  date.nanosecond = TakeSubsecond(text);
  date.offset_seconds = TakeZone(text);
  return date;
}

std::optional<int> TakeMonthName(StampCursor& text) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
  for (size_t month = 0; month < kNames.size(); ++month) {
    bool is_same = true;
    for (size_t i = 0; i < 3; ++i) {
      is_same = is_same && (text.peek(i) | 0x20) == kNames[month][i];
    }
    if (!is_same) continue;
    text.Skip(3);
    return static_cast<int>(month) + 1;
  }
  return std::nullopt;
}

bool IsMonthName(std::string_view text) {
  StampCursor cursor(text);
  return TakeMonthName(cursor).has_value();
}

std::optional<LogStamp> EpochStamp(std::string_view text) {
  constexpr int64_t kFirst = 1'000'000'000;  // seconds; smaller numbers have fewer digits
  constexpr int64_t kEnd = 4'102'444'800;    // 2100-01-01
  constexpr size_t kMostDigits = 19;
  StampCursor cursor(text);
  const size_t digits = cursor.CountDigits(kMostDigits + 1);
  if (digits != 10 && digits != 13 && digits != 16 && digits != kMostDigits) return std::nullopt;
  uint64_t number = 0;
  for (size_t i = 0; i < digits; ++i) number = number * 10 + static_cast<uint64_t>(text[i] - '0');
  for (size_t i = digits; i < kMostDigits; ++i) number *= 10;
  const uint64_t seconds = number / kNanosecondsPerSecond;
  if (seconds < kFirst || seconds >= kEnd) return std::nullopt;
  cursor.Skip(digits);
  auto nanoseconds = static_cast<int64_t>(number);
  if (cursor.peek() == '.' && StampCursor::IsDigit(cursor.peek(1))) {
    if (digits != 10) return std::nullopt;
    cursor.Skip(1);
    nanoseconds += TakeFraction(cursor);
  }
  constexpr std::string_view kBehind = " \t])},:;\"'|>";
  const char next = cursor.peek();
  if (next != '\0' && kBehind.find(next) == kBehind.npos) return std::nullopt;
  LogStamp stamp;
  stamp.epoch = nanoseconds;
  return stamp;
}

}  // namespace pmdex
