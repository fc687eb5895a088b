#include "tools/server/mapping/date_format.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

#include "engine/columns/value_parser.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

constexpr std::string_view kDefaultFormat = "strict_date_optional_time||epoch_millis";
constexpr WideNanoseconds kSecond = kNanosecondsPerSecond;
constexpr WideNanoseconds kMinute = 60 * kSecond;
constexpr WideNanoseconds kHour = 60 * kMinute;
constexpr WideNanoseconds kDay = 24 * kHour;

struct NamedPattern {
  std::string_view name;
  std::string_view pattern;
};
constexpr NamedPattern kNamedPatterns[] = {
    {"date", "yyyy-MM-dd"},
    {"year", "yyyy"},
    {"year_month", "yyyy-MM"},
    {"year_month_day", "yyyy-MM-dd"},
    {"basic_date", "yyyyMMdd"},
    {"basic_date_time", "yyyyMMdd'T'HHmmss.SSSX"},
    {"basic_date_time_no_millis", "yyyyMMdd'T'HHmmssX"},
    {"date_hour", "yyyy-MM-dd'T'HH"},
    {"date_hour_minute", "yyyy-MM-dd'T'HH:mm"},
    {"date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss"},
    {"date_hour_minute_second_millis", "yyyy-MM-dd'T'HH:mm:ss.SSS"},
    {"date_time", "yyyy-MM-dd'T'HH:mm:ss.SSS[XXX][X]"},
    {"date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ss[XXX][X]"},
    {"hour_minute", "HH:mm"},
    {"hour_minute_second", "HH:mm:ss"},
};
constexpr std::string_view kLenientDate = "yyyy[-M[-d]]['T'[H[:m[:s]]][XXX][X]]";
constexpr std::string_view kStrictRest = "yyyy-MM-dd'T'[HH][XXX][X]";

// The parser of a pattern that is part of this file.
DateParser KnownParser(std::string_view pattern) {
  absl::StatusOr<DateParser> parser = DateParser::Parse(pattern);
  return *std::move(parser);
}

// 0..23; nullopt if the parts contradict each other.
std::optional<int> HourOf(const DateParts& parts) {
  std::optional<int> hour = parts.hour;
  if (parts.half_day_hour.has_value()) {
    if (*parts.half_day_hour < 1 || *parts.half_day_hour > 12) return std::nullopt;
    const int of_day = *parts.half_day_hour % 12 + (parts.is_afternoon.value_or(false) ? 12 : 0);
    if (hour.has_value() && *hour != of_day) return std::nullopt;
    hour = of_day;
  }
  return hour.value_or(0);
}

// nullopt if there is no such date.
std::optional<FormattedDate> Resolve(const DateParts& parts) {
  const int month = parts.month.value_or(1);
  const int day = parts.day.value_or(1);
  const absl::CivilDay date(parts.year.value_or(1970), month, day);
  if (date.month() != month || date.day() != day) return std::nullopt;
  const auto weekday = static_cast<int>(absl::GetWeekday(date));  // 0: Monday
  if (parts.weekday.value_or(weekday) != weekday) return std::nullopt;
  const std::optional<int> hour = HourOf(parts);
  const int minute = parts.minute.value_or(0);
  const int second = parts.second.value_or(0);
  if (!hour.has_value() || *hour > 23 || minute > 59 || second > 59) return std::nullopt;
  FormattedDate read;
  read.first = (date - absl::CivilDay(1970, 1, 1)) * kDay + *hour * kHour + minute * kMinute +
               second * kSecond + parts.nanosecond.value_or(0) -
               parts.zone_seconds.value_or(0) * kSecond;
  const bool has_hour = parts.hour.has_value() || parts.half_day_hour.has_value();
  read.last = read.first - 1 +
              (parts.nanosecond.has_value() ? 1
               : parts.second.has_value()   ? kSecond
               : parts.minute.has_value()   ? kMinute
               : has_hour                   ? kHour
                                            : kDay);
  read.takes_zone = !parts.zone_seconds.has_value();
  return read;
}

// Elasticsearch fills a missing month or day with the first one, also for the last moment.
WideNanoseconds LastOf(const DateText& date) {
  switch (date.precision) {
    case DatePrecision::kYear:
    case DatePrecision::kMonth:
    case DatePrecision::kDay:
      return date.first + kDay - 1;
    case DatePrecision::kHour:
      return date.first + kHour - 1;
    case DatePrecision::kMinute:
      return date.first + kMinute - 1;
    case DatePrecision::kSecond:
      return date.first + kSecond - 1;
    case DatePrecision::kFraction:
      break;
  }
  return date.first;
}

std::optional<FormattedDate> ReadOptionalTime(std::string_view text) {
  const std::optional<DateText> date = ParseDateText(text);
  if (!date.has_value() || text.find_first_of("tz") != text.npos) return std::nullopt;
  return FormattedDate{date->first, LastOf(*date), !date->has_zone};
}

// Milliseconds or seconds since 1970, with a fraction where there is one.
std::optional<FormattedDate> ReadEpoch(WideNanoseconds unit, std::string_view text) {
  if (!IsJsonNumber(text)) return std::nullopt;
  const bool has_exponent = text.find_first_of("eE") != text.npos;
  const std::string_view whole = has_exponent ? text : text.substr(0, text.find('.'));
  const std::optional<int64_t> number = ParseI64(whole == "-0" ? "0" : whole);
  if (!number.has_value()) return std::nullopt;
  FormattedDate read;
  read.first = *number * unit;
  read.last = read.first + unit - 1;
  if (whole.size() == text.size()) return read;
  WideNanoseconds scale = unit / 10;
  WideNanoseconds fraction = 0;
  for (const char c : text.substr(whole.size() + 1)) {
    fraction += (c - '0') * scale;
    scale /= 10;
  }
  read.first += text[0] == '-' ? -fraction : fraction;
  read.last = read.first;
  return read;
}

}  // namespace

DateFormat::DateFormat() : text_(kDefaultFormat) {
  static const std::vector<Format> kFormats = {{Kind::kOptionalTime, 0, {}},
                                               {Kind::kPattern, 0, KnownParser(kStrictRest)},
                                               {Kind::kEpoch, kNanosecondsPerMillisecond, {}}};
  formats_ = kFormats;
}

absl::StatusOr<DateFormat::Format> DateFormat::ParseOne(std::string_view text) {
  Format format;
  if (text == "strict_date_optional_time" || text == "strict_date_optional_time_nanos" ||
      text == "date_optional_time") {
    return format;
  }
  if (text == "epoch_millis" || text == "epoch_second") {
    format.kind = Kind::kEpoch;
    format.unit = text == "epoch_millis" ? kNanosecondsPerMillisecond : kNanosecondsPerSecond;
    return format;
  }
  format.kind = Kind::kPattern;
  std::string_view pattern = text;
  const std::string_view name = text.starts_with("strict_") ? text.substr(7) : text;
  for (const NamedPattern& named : kNamedPatterns) {
    if (named.name == name) pattern = named.pattern;
  }
  absl::StatusOr<DateParser> parser = DateParser::Parse(pattern);
  if (!parser.ok() || text.empty()) {
    return BadArgument(
        absl::StrCat("Invalid format: [", ToAbsl(text), "]: ", ToAbsl(Message(parser.status()))));
  }
  format.parser = *std::move(parser);
  return format;
}

absl::StatusOr<DateFormat> DateFormat::Parse(std::string_view text) {
  DateFormat format;
  format.text_ = text;
  format.formats_.clear();
  std::string_view rest = text;
  while (true) {
    const size_t bar = rest.find("||");
    const std::string_view name = rest.substr(0, bar);
    PMDEX_ASSIGN_OR_RETURN(format.formats_.emplace_back(), ParseOne(name));
    if (format.formats_.back().kind == Kind::kOptionalTime) {
      const bool is_lenient = name == "date_optional_time";
      format.formats_.push_back(
          {Kind::kPattern, 0, KnownParser(is_lenient ? kLenientDate : kStrictRest)});
    }
    if (bar == rest.npos) return format;
    rest.remove_prefix(bar + 2);
  }
}

std::optional<FormattedDate> DateFormat::ReadAs(const Format& format, std::string_view text) {
  if (format.kind == Kind::kOptionalTime) return ReadOptionalTime(text);
  if (format.kind == Kind::kEpoch) return ReadEpoch(format.unit, text);
  const std::optional<DateParts> parts = format.parser.Read(text);
  return parts.has_value() ? Resolve(*parts) : std::nullopt;
}

std::optional<FormattedDate> DateFormat::Read(std::string_view text) const {
  for (const Format& format : formats_) {
    if (const auto read = ReadAs(format, text)) return read;
  }
  return std::nullopt;
}

}  // namespace pmdex
