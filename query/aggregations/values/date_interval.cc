#include "query/aggregations/values/date_interval.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include "absl/time/civil_time.h"

#include "engine/columns/date_text.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr int64_t kSecond = kNanosecondsPerSecond;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

int64_t Saturate(WideNanoseconds wide) {
  constexpr WideNanoseconds kLeast = std::numeric_limits<int64_t>::min();
  constexpr WideNanoseconds kGreatest = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(wide, kLeast, kGreatest));
}

bool IsDayOrLonger(CalendarUnit unit) {
  return unit != CalendarUnit::kNone && unit != CalendarUnit::kMinute &&
         unit != CalendarUnit::kHour;
}

// Where the local time that the zone shows is this. Of a local time that the zone shows twice: for
// `not_after`, the later one that is not after it; otherwise the first one.
WideNanoseconds Absolute(absl::CivilSecond local, const DateInterval& interval, int64_t not_after) {
  const absl::TimeZone::TimeInfo info = interval.zone.At(local);
  absl::Time time = info.kind == absl::TimeZone::TimeInfo::SKIPPED ? info.trans : info.pre;
  if (info.kind == absl::TimeZone::TimeInfo::REPEATED && !IsDayOrLonger(interval.unit) &&
      info.post <= absl::FromUnixNanos(not_after)) {
    time = info.post;
  }
  return static_cast<WideNanoseconds>(absl::ToUnixSeconds(time)) * kSecond;
}

// The first second of the calendar unit that has this local time.
absl::CivilSecond FloorCivil(const DateInterval& interval, absl::CivilSecond local) {
  switch (interval.unit) {
    case CalendarUnit::kMinute:
      return absl::CivilSecond(absl::CivilMinute(local));
    case CalendarUnit::kHour:
      return absl::CivilSecond(absl::CivilHour(local));
    case CalendarUnit::kWeek:
      return absl::CivilSecond(absl::NextWeekday(absl::CivilDay(local) - 7, absl::Weekday::monday));
    case CalendarUnit::kMonth: {
      const int64_t month = local.year() * 12 + local.month() - 1;
      return absl::CivilSecond(absl::CivilMonth(0, 1) +
                               FloorDivide(month, interval.count) * interval.count);
    }
    case CalendarUnit::kYear:
      return absl::CivilSecond(
          absl::CivilYear(FloorDivide(local.year(), interval.count) * interval.count));
    default:
      return absl::CivilSecond(absl::CivilDay(local));
  }
}

absl::CivilSecond NextCivil(const DateInterval& interval, absl::CivilSecond start) {
  switch (interval.unit) {
    case CalendarUnit::kMinute:
      return absl::CivilSecond(absl::CivilMinute(start) + 1);
    case CalendarUnit::kHour:
      return absl::CivilSecond(absl::CivilHour(start) + 1);
    case CalendarUnit::kWeek:
      return absl::CivilSecond(absl::CivilDay(start) + 7);
    case CalendarUnit::kMonth:
      return absl::CivilSecond(absl::CivilMonth(start) + interval.count);
    case CalendarUnit::kYear:
      return absl::CivilSecond(absl::CivilYear(start) + interval.count);
    default:
      return absl::CivilSecond(absl::CivilDay(start) + 1);
  }
}

constexpr absl::CivilSecond kEpoch(1970);

// What the zone shows at a time, in nanoseconds since it showed the start of 1970.
WideNanoseconds ShownTime(const absl::TimeZone& zone, int64_t time) {
  const absl::CivilSecond local = zone.At(absl::FromUnixNanos(time)).cs;
  const int64_t within_second = time - FloorDivide(time, kSecond) * kSecond;
  return static_cast<WideNanoseconds>(local - kEpoch) * kSecond + within_second;
}

// The reverse; not_after: as of Absolute.
int64_t AbsoluteOfShown(WideNanoseconds shown, const DateInterval& interval, int64_t not_after) {
  WideNanoseconds second = shown / kSecond;
  if (shown % kSecond < 0) --second;
  const absl::CivilSecond local = kEpoch + static_cast<int64_t>(second);
  return Saturate(Absolute(local, interval, not_after) + (shown - second * kSecond));
}

// Of a time without the offset.
int64_t StartWithoutOffset(const DateInterval& interval, int64_t time) {
  if (interval.unit != CalendarUnit::kNone) {
    const absl::CivilSecond local = interval.zone.At(absl::FromUnixNanos(time)).cs;
    return Saturate(Absolute(FloorCivil(interval, local), interval, time));
  }
  // A fixed length counts from 1970 as the zone shows it.
  const WideNanoseconds shown = ShownTime(interval.zone, time);
  WideNanoseconds past = shown % interval.count;
  if (past < 0) past += interval.count;
  return std::min(AbsoluteOfShown(shown - past, interval, time), time);
}

int64_t WithOffset(int64_t time, int64_t offset) {
  return Saturate(static_cast<WideNanoseconds>(time) + offset);
}

struct UnitName {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr UnitName kUnits[] = {
    {"ms", kNanosecondsPerMillisecond}, {"s", kSecond}, {"m", kMinute}, {"h", kHour}, {"d", kDay}};

// Splits "10y" into 10 and "y".
std::optional<int64_t> TakeCount(std::string_view& text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count <= 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return count;
}

std::optional<DateInterval> ParseCalendarInterval(std::string_view text) {
  const std::optional<int64_t> count = TakeCount(text);
  if (!count.has_value() || *count > 100'000) return std::nullopt;
  if (text == "w" && *count == 1) return DateInterval{CalendarUnit::kWeek, 1};
  if (text == "M") return DateInterval{CalendarUnit::kMonth, *count};
  if (text == "q") return DateInterval{CalendarUnit::kMonth, *count * 3};
  if (text == "y") return DateInterval{CalendarUnit::kYear, *count};
  return std::nullopt;
}

constexpr size_t kMostZoneNameBytes = 64;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// True if the machine has a file for a zone of this name. Abseil keeps every name that it is asked
// for as long as the process runs, and opens whatever a name leads to; so it gets no other names.
bool IsZoneOfMachine(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || IsDigit(c) || c == '_' || c == '+' ||
           c == '-' || c == '/';
  };
  if (name.empty() || name.size() > kMostZoneNameBytes || name[0] == '/' ||
      !std::all_of(name.begin(), name.end(), is_allowed)) {
    return false;
  }
  const char* const chosen = std::getenv("TZDIR");  // as Abseil does
  const std::filesystem::path directory(
      chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/zoneinfo");
  std::error_code error;
  return std::filesystem::is_regular_file(directory / name, error);
}

// +02:00 or -0530, at most 18 hours.
std::optional<absl::TimeZone> ParseZoneOffset(std::string_view text) {
  std::string digits(text.substr(1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() != 4 || !std::all_of(digits.begin(), digits.end(), IsDigit)) {
    return std::nullopt;
  }
  const int hours = (digits[0] - '0') * 10 + digits[1] - '0';
  const int minutes = (digits[2] - '0') * 10 + digits[3] - '0';
  if (minutes > 59 || hours * 60 + minutes > 18 * 60) return std::nullopt;
  const int seconds = (hours * 60 + minutes) * 60;
  return absl::FixedTimeZone(text[0] == '-' ? -seconds : seconds);
}

}  // namespace

std::optional<int64_t> ParseFixedInterval(std::string_view text) {
  const std::optional<int64_t> count = TakeCount(text);
  if (!count.has_value()) return std::nullopt;
  for (const UnitName& unit : kUnits) {
    int64_t nanoseconds = 0;
    if (unit.name != text) continue;
    if (__builtin_mul_overflow(*count, unit.nanoseconds, &nanoseconds)) return std::nullopt;
    return nanoseconds;
  }
  return std::nullopt;
}

absl::StatusOr<DateInterval> ParseDateInterval(std::string_view text) {
  if (const std::optional<int64_t> fixed = ParseFixedInterval(text)) {
    return DateInterval{CalendarUnit::kNone, *fixed};
  }
  if (const std::optional<DateInterval> calendar = ParseCalendarInterval(text)) return *calendar;
  return InvalidArgument("'" + std::string(text) +
                         "' is no interval of dates (hint: 10m, 1h, 1d, 1w, 1M, 1y)");
}

std::optional<absl::TimeZone> ParseTimeZone(std::string_view text) {
  if (text == "Z" || text == "UTC") return absl::UTCTimeZone();
  if (text.starts_with('+') || text.starts_with('-')) return ParseZoneOffset(text);
  absl::TimeZone zone;
  if (!IsZoneOfMachine(text) || !absl::LoadTimeZone(ToAbsl(text), &zone)) return std::nullopt;
  return zone;
}

int64_t StartOfInterval(const DateInterval& interval, int64_t nanoseconds) {
  const int64_t moved = Saturate(static_cast<WideNanoseconds>(nanoseconds) - interval.offset);
  return WithOffset(StartWithoutOffset(interval, moved), interval.offset);
}

int64_t NextInterval(const DateInterval& interval, int64_t start) {
  const int64_t moved = Saturate(static_cast<WideNanoseconds>(start) - interval.offset);
  if (interval.unit == CalendarUnit::kNone) {
    // Where the zone changes its offset, an interval is longer or shorter.
    const int64_t beyond = Saturate(static_cast<WideNanoseconds>(moved) + interval.count);
    const int64_t start_there = StartWithoutOffset(interval, beyond);
    const int64_t next =
        start_there > moved
            ? start_there
            : AbsoluteOfShown(ShownTime(interval.zone, moved) + interval.count, interval, beyond);
    return WithOffset(next, interval.offset);
  }
  const absl::CivilSecond local = interval.zone.At(absl::FromUnixNanos(moved)).cs;
  // The least date may stand for an earlier start.
  const absl::CivilSecond behind = NextCivil(interval, FloorCivil(interval, local));
  int64_t next = Saturate(Absolute(behind, interval, std::numeric_limits<int64_t>::min()));
  const bool is_hour_or_minute = !IsDayOrLonger(interval.unit);
  if (is_hour_or_minute) {
    // In an hour that the zone shows twice, the second one follows the first.
    const int64_t length = interval.unit == CalendarUnit::kHour ? kHour : kMinute;
    const int64_t beyond = Saturate(static_cast<WideNanoseconds>(moved) + length);
    const int64_t shown = StartWithoutOffset(interval, beyond);
    next = shown > moved ? shown : beyond;
  }
  return WithOffset(next, interval.offset);
}

DateInterval ChooseDateInterval(int64_t first, int64_t last, uint64_t most) {
  constexpr int64_t kFixed[] = {kNanosecondsPerMillisecond,
                                10 * kNanosecondsPerMillisecond,
                                100 * kNanosecondsPerMillisecond,
                                kSecond,
                                5 * kSecond,
                                10 * kSecond,
                                30 * kSecond,
                                kMinute,
                                5 * kMinute,
                                10 * kMinute,
                                30 * kMinute,
                                kHour,
                                3 * kHour,
                                6 * kHour,
                                12 * kHour,
                                kDay};
  const auto covers = [&](const DateInterval& interval) {
    int64_t start = StartOfInterval(interval, first);
    for (uint64_t i = 1; i <= most; ++i) {
      const int64_t next = NextInterval(interval, start);
      if (next > last || next <= start) return true;
      start = next;
    }
    return false;
  };
  for (const int64_t length : kFixed) {
    const DateInterval interval{CalendarUnit::kNone, length};
    if (covers(interval)) return interval;
  }
  if (const DateInterval week{CalendarUnit::kWeek, 1}; covers(week)) return week;
  for (const int64_t months : {1, 3}) {
    if (const DateInterval some{CalendarUnit::kMonth, months}; covers(some)) return some;
  }
  for (const int64_t years : {1, 2, 5, 10, 20}) {
    if (const DateInterval some{CalendarUnit::kYear, years}; covers(some)) return some;
  }
  return {CalendarUnit::kYear, 50};
}

}  // namespace pmdex
