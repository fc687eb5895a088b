#include "tools/server/elasticsearch/aggregations/date_pattern.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/columns/date_text.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

constexpr std::string_view kDateTime = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

struct NamedPattern {
  std::string_view name;
  std::string_view pattern;
};
constexpr NamedPattern kNamed[] = {
    {"strict_date_optional_time", kDateTime},
    {"date_optional_time", kDateTime},
    {"date_time", kDateTime},
    {"date", "yyyy-MM-dd"},
    {"strict_date", "yyyy-MM-dd"},
    {"basic_date", "yyyyMMdd"},
};

std::string FormatZone(int offset_seconds) {
  if (offset_seconds == 0) return "Z";
  const int minutes = std::abs(offset_seconds) / 60;
  return absl::StrFormat("%c%02d:%02d", offset_seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string FormatText(const char* format, absl::Time time, const absl::TimeZone& zone) {
  return absl::FormatTime(format, time, zone);
}

std::string FormatPart(char letter, size_t count, absl::Time time, const absl::TimeZone& zone) {
  const absl::TimeZone::CivilInfo info = zone.At(time);
  const auto padded = [count](int64_t number) {
    return absl::StrFormat("%0*d", static_cast<int>(count), number);
  };
  switch (letter) {
    case 'y':
    case 'u':
      return count == 2 ? padded(info.cs.year() % 100) : padded(info.cs.year());
    case 'M':
      if (count >= 3) return FormatText(count == 3 ? "%b" : "%B", time, zone);
      return padded(info.cs.month());
    case 'E':
      return FormatText(count <= 3 ? "%a" : "%A", time, zone);
    case 'd':
      return padded(info.cs.day());
    case 'H':
      return padded(info.cs.hour());
    case 'h':
      return padded((info.cs.hour() + 11) % 12 + 1);
    case 'm':
      return padded(info.cs.minute());
    case 's':
      return padded(info.cs.second());
    case 'S': {
      const std::string digits = absl::StrFormat("%09d", absl::ToInt64Nanoseconds(info.subsecond));
      return digits.substr(0, std::min<size_t>(count, 9));
    }
    case 'a':
      return info.cs.hour() < 12 ? "AM" : "PM";
    default:
      return FormatZone(info.offset);
  }
}

}  // namespace

absl::StatusOr<DatePattern> DatePattern::ParseLetters(std::string_view pattern) {
  DatePattern parsed;
  for (size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    Part part;
    size_t end = i + 1;
    if (c == '\'') {
      end = pattern.find('\'', i + 1);
      if (end == pattern.npos) break;
      part.text = end == i + 1 ? "'" : std::string(pattern.substr(i + 1, end - i - 1));
      ++end;
    } else if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      while (end < pattern.size() && pattern[end] == c) ++end;
      part.letter = c;
      part.count = end - i;
      const bool is_zone = c == 'X' && part.count == 3;
      if (!is_zone && std::string_view("yuMdHhmsSaE").find(c) == std::string_view::npos) break;
    } else {
      part.text = c;
    }
    parsed.parts_.push_back(std::move(part));
    i = end;
    if (i == pattern.size()) return parsed;
  }
  return BadArgument(absl::StrCat("Invalid format: [", ToAbsl(pattern), "]"));
}

absl::StatusOr<DatePattern> DatePattern::Parse(std::string_view format) {
  const std::string_view first = format.substr(0, format.find("||"));
  DatePattern epoch;
  if (first == "epoch_millis") epoch.epoch_unit_ = kNanosecondsPerMillisecond;
  if (first == "epoch_second") epoch.epoch_unit_ = kNanosecondsPerSecond;
  if (epoch.epoch_unit_ != 0) return epoch;
  for (const NamedPattern& named : kNamed) {
    if (named.name == first) return ParseLetters(named.pattern);
  }
  return ParseLetters(first);
}

std::string DatePattern::Format(int64_t nanoseconds, const absl::TimeZone& zone) const {
  if (epoch_unit_ != 0) {
    const int64_t quotient = nanoseconds / epoch_unit_;
    return absl::StrCat(quotient - (nanoseconds % epoch_unit_ < 0 ? 1 : 0));
  }
  const absl::Time time = absl::FromUnixNanos(nanoseconds);
  if (parts_.empty()) {
    return absl::StrCat(FormatText("%Y-%m-%dT%H:%M:%E3S", time, zone),
                        FormatZone(zone.At(time).offset));
  }
  std::string out;
  for (const Part& part : parts_) {
    out += part.letter == 0 ? part.text : FormatPart(part.letter, part.count, time, zone);
  }
  return out;
}

}  // namespace pmdex
