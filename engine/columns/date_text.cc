#include "engine/columns/date_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

// Takes parts off the front of a text.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }
  bool Take(char small, char great) {
    if (text_.empty() || (text_[0] != small && text_[0] != great)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Take(char c) { return Take(c, c); }
  // Exactly `count` digits that make a number from `least` to `most`.
  std::optional<int> Number(size_t count, int least, int most) {
    if (CountDigits() < count) return std::nullopt;
    int number = 0;
    for (const char c : text_.substr(0, count)) number = number * 10 + (c - '0');
    text_.remove_prefix(count);
    if (number < least || number > most) return std::nullopt;
    return number;
  }
  // One to nine digits, as nanoseconds.
  std::optional<int> Fraction() {
    const size_t count = CountDigits();
    if (count == 0 || count > 9) return std::nullopt;
    int nanoseconds = 0;
    for (size_t i = 0; i < 9; ++i) {
      nanoseconds = nanoseconds * 10 + (i < count ? text_[i] - '0' : 0);
    }
    text_.remove_prefix(count);
    return nanoseconds;
  }

 private:
  size_t CountDigits() const {
    const auto end =
        std::find_if(text_.begin(), text_.end(), [](char c) { return c < '0' || c > '9'; });
    return static_cast<size_t>(end - text_.begin());
  }
  std::string_view text_;
};

// The parts of a date; those that are missing have the value of the start.
struct Parts {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nanosecond = 0;
  int zone_minutes = 0;
  DatePrecision precision = DatePrecision::kYear;
  bool has_zone = false;
};

bool TakeDay(DateScanner& text, Parts& parts) {
  const auto year_number = text.Number(4, 0, 9999);
  if (!year_number.has_value()) return false;
  parts.year = *year_number;
  if (!text.Take('-')) return true;
  const auto month_number = text.Number(2, 1, 12);
  if (!month_number.has_value()) return false;
  parts.month = *month_number;
  parts.precision = DatePrecision::kMonth;
  if (!text.Take('-')) return true;
  const auto day_number = text.Number(2, 1, 31);
  if (!day_number.has_value()) return false;
  parts.day = *day_number;
  parts.precision = DatePrecision::kDay;
  const year_month_day date(year{parts.year}, month{static_cast<unsigned>(parts.month)},
                            day{static_cast<unsigned>(parts.day)});
  return date.ok();
}

bool TakeZone(DateScanner& text, Parts& parts) {
  if (text.AtEnd()) return true;
  parts.has_zone = true;
  if (text.Take('z', 'Z')) return true;
  const bool behind = text.Take('-');
  if (!behind && !text.Take('+')) return false;
  const auto hours = text.Number(2, 0, 23);
  text.Take(':');
  const auto minutes = text.Number(2, 0, 59);
  if (!hours.has_value() || !minutes.has_value()) return false;
  parts.zone_minutes = (*hours * 60 + *minutes) * (behind ? -1 : 1);
  return true;
}

bool TakeTime(DateScanner& text, Parts& parts) {
  const auto hour = text.Number(2, 0, 23);
  if (!hour.has_value()) return false;
  parts.hour = *hour;
  parts.precision = DatePrecision::kHour;
  if (!text.Take(':')) return TakeZone(text, parts);
  const auto minute = text.Number(2, 0, 59);
  if (!minute.has_value()) return false;
  parts.minute = *minute;
  parts.precision = DatePrecision::kMinute;
  if (text.Take(':')) {
    const auto second = text.Number(2, 0, 59);
    if (!second.has_value()) return false;
    parts.second = *second;
    parts.precision = DatePrecision::kSecond;
    if (text.Take('.')) {
      const auto fraction = text.Fraction();
      if (!fraction.has_value()) return false;
      parts.nanosecond = *fraction;
      parts.precision = DatePrecision::kFraction;
    }
  }
  return TakeZone(text, parts);
}

WideNanoseconds ValueOf(const Parts& parts) {
  const year_month_day date(year{parts.year}, month{static_cast<unsigned>(parts.month)},
                            day{static_cast<unsigned>(parts.day)});
  const int64_t days = sys_days(date).time_since_epoch().count();
  const int64_t seconds = days * kSecondsPerDay + parts.hour * 3600 +
                          (parts.minute - parts.zone_minutes) * 60 + parts.second;
  return WideNanoseconds{seconds} * kNanosecondsPerSecond + parts.nanosecond;
}

// The last nanosecond of the part that the text names last.
WideNanoseconds LastOf(Parts parts) {
  const DatePrecision precision = parts.precision;
  if (precision == DatePrecision::kYear) parts.month = 12;
  if (precision <= DatePrecision::kMonth) {
    const std::chrono::year_month_day_last last(
        year{parts.year}, std::chrono::month_day_last(month{static_cast<unsigned>(parts.month)}));
    parts.day = static_cast<int>(static_cast<unsigned>(last.day()));
  }
  if (precision <= DatePrecision::kDay) parts.hour = 23;
  if (precision <= DatePrecision::kHour) parts.minute = 59;
  if (precision <= DatePrecision::kMinute) parts.second = 59;
  if (precision <= DatePrecision::kSecond) parts.nanosecond = 999'999'999;
  return ValueOf(parts);
}

// "07" of 7 with two digits.
std::string Padded(int64_t number, size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

// The number of two digits; more than any part of a date for other bytes.
uint32_t Pair(const char* digits) {
  const auto tens = static_cast<uint8_t>(digits[0] - '0');
  const auto ones = static_cast<uint8_t>(digits[1] - '0');
  return tens > 9 || ones > 9 ? 100 : uint32_t{tens} * 10 + ones;
}

// The usual form "2026-01-31T10:20:30Z". nullopt for all others, also for those that are no dates.
std::optional<DateText> ParseSecondsInUtc(std::string_view text) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  const char* const at = text.data();
  const uint32_t century = Pair(at);
  const uint32_t year_of_century = Pair(at + 2);
  const uint32_t hours = Pair(at + 11);
  const uint32_t minutes = Pair(at + 14);
  const uint32_t seconds = Pair(at + 17);
  if (century > 99 || year_of_century > 99 || hours > 23 || minutes > 59 || seconds > 59) {
    return std::nullopt;
  }
  const year_month_day date(year{static_cast<int>(century * 100 + year_of_century)},
                            month{Pair(at + 5)}, day{Pair(at + 8)});
  if (!date.ok()) return std::nullopt;
  const int64_t days = sys_days(date).time_since_epoch().count();
  const int64_t since_epoch = days * kSecondsPerDay + hours * 3600 + minutes * 60 + seconds;
  const WideNanoseconds first = WideNanoseconds{since_epoch} * kNanosecondsPerSecond;
  return DateText{first, first + kNanosecondsPerSecond - 1, DatePrecision::kSecond, true};
}

}  // namespace

std::optional<DateText> ParseDateText(std::string_view text) {
  if (const auto date = ParseSecondsInUtc(text)) return date;
  DateScanner scanner(text);
  Parts parts;
  if (!TakeDay(scanner, parts)) return std::nullopt;
  if (parts.precision == DatePrecision::kDay && scanner.Take('t', 'T') &&
      !TakeTime(scanner, parts)) {
    return std::nullopt;
  }
  if (!scanner.AtEnd()) return std::nullopt;
  return DateText{ValueOf(parts), LastOf(parts), parts.precision, parts.has_zone};
}

bool IsRfc3339Time(std::string_view text) {
  const auto date = ParseDateText(text);
  if (!date.has_value() || !date->has_zone || date->precision < DatePrecision::kSecond) {
    return false;
  }
  return text.ends_with('Z') || text.ends_with('z') || text[text.size() - 3] == ':';
}

std::optional<int64_t> NarrowDate(WideNanoseconds nanoseconds) {
  if (nanoseconds < std::numeric_limits<int64_t>::min() ||
      nanoseconds > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(nanoseconds);
}

std::string FormatDate(int64_t nanoseconds) {
  int64_t seconds = nanoseconds / kNanosecondsPerSecond;
  int64_t fraction = nanoseconds % kNanosecondsPerSecond;
  if (fraction < 0) {
    fraction += kNanosecondsPerSecond;
    --seconds;
  }
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(seconds));
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(time - midnight);
  std::string text = absl::StrCat(
      Padded(static_cast<int>(date.year()), 4), "-", Padded(static_cast<unsigned>(date.month()), 2),
      "-", Padded(static_cast<unsigned>(date.day()), 2), "T", Padded(clock.hours().count(), 2), ":",
      Padded(clock.minutes().count(), 2), ":", Padded(clock.seconds().count(), 2));
  if (fraction != 0) {
    std::string digits = Padded(fraction, 9);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "Z";
}

}  // namespace pmdex
