#include "tools/find/local_time.h"

#include <time.h>

#include "engine/columns/date_text.h"
#include "engine/columns/value_parser.h"

namespace pmdex {
namespace {

constexpr size_t kDayBytes = 10;  // of 2026-01-31

// The moment at which clocks of this process show what clocks of UTC show at time_ns.
std::optional<WideNanoseconds> FromLocalClock(WideNanoseconds time_ns) {
  const auto narrow = NarrowDate(time_ns);
  if (!narrow.has_value()) return std::nullopt;
  const time_t shown = SecondsOf(*narrow);
  tm clock = {};
  gmtime_r(&shown, &clock);
  clock.tm_isdst = -1;  // the zone knows
  const WideNanoseconds fraction = time_ns - WideNanoseconds{shown} * kNanosecondsPerSecond;
  return WideNanoseconds{mktime(&clock)} * kNanosecondsPerSecond + fraction;
}

}  // namespace

int64_t SecondsOf(int64_t time_ns) {
  const int64_t seconds = time_ns / kNanosecondsPerSecond;
  return time_ns % kNanosecondsPerSecond < 0 ? seconds - 1 : seconds;
}

std::string LocalTimeText(int64_t time_ns, const char* format) {
  const time_t seconds = SecondsOf(time_ns);
  tm local = {};
  localtime_r(&seconds, &local);
  char written[64];
  return {written, strftime(written, sizeof written, format, &local)};
}

std::optional<int64_t> ParseLocalTime(std::string_view text) {
  if (text.starts_with('@')) {
    const auto seconds = ParseI64(text.substr(1));
    if (!seconds.has_value()) return std::nullopt;
    return NarrowDate(WideNanoseconds{*seconds} * kNanosecondsPerSecond);
  }
  std::string written(text);
  if (written.size() > kDayBytes && written[kDayBytes] == ' ') written[kDayBytes] = 'T';
  const size_t zone = written.find(' ');
  if (zone != std::string::npos) written.erase(zone, 1);
  const auto date = ParseDateText(written);
  // find reads a year alone as a time of day, and has no month alone.
  const bool is_clear = date.has_value() && (date->precision == DatePrecision::kDay ||
                                             date->precision >= DatePrecision::kMinute);
  if (!is_clear) return std::nullopt;
  const auto moment = date->has_zone ? date->first : FromLocalClock(date->first);
  return moment.has_value() ? NarrowDate(*moment) : std::nullopt;
}

}  // namespace pmdex
