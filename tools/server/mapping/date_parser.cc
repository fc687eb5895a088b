#include "tools/server/mapping/date_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr int kMostNesting = 8;  // of parts that may be missing
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday"};
constexpr size_t kShortName = 3;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Which counts of a letter are known.
bool IsKnown(char letter, size_t count) {
  switch (letter) {
    case 'y':
    case 'u':
      return count <= 4;
    case 'M':
    case 'L':
      return count <= 4;
    case 'd':
    case 'H':
    case 'h':
    case 'm':
    case 's':
      return count <= 2;
    case 'S':
      return count <= 9;
    case 'a':
      return count == 1;
    case 'E':
      return count <= 4;
    case 'X':
    case 'x':
      return count <= 3;
    case 'Z':
      return count <= 3 || count == 5;
    default:
      return false;
  }
}

// A number of `least` to `most` digits from the front of the text.
std::optional<int> TakeNumber(size_t least, size_t most, std::string_view& text) {
  size_t count = 0;
  int number = 0;
  while (count < most && count < text.size() && IsDigit(text[count])) {
    number = number * 10 + (text[count++] - '0');
  }
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

template <size_t size>
std::optional<int> TakeName(const std::string_view (&names)[size], bool is_short,
                            std::string_view& text) {
  for (size_t i = 0; i < size; ++i) {
    const std::string_view name = is_short ? names[i].substr(0, kShortName) : names[i];
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return static_cast<int>(i);
  }
  return std::nullopt;
}

// +hh, +hhmm or +hh:mm, or Z where `takes_z`.
std::optional<int> TakeZone(bool takes_z, bool has_colon, bool needs_minutes,
                            std::string_view& text) {
  if (takes_z && text.starts_with('Z')) {
    text.remove_prefix(1);
    return 0;
  }
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const std::optional<int> hours = TakeNumber(2, 2, text);
  if (!hours.has_value() || *hours > 18) return std::nullopt;
  if (has_colon && text.starts_with(':')) {
    text.remove_prefix(1);
  } else if (has_colon) {
    return std::nullopt;
  }
  const std::optional<int> minutes = TakeNumber(2, 2, text);
  if ((!minutes.has_value() && needs_minutes) || minutes.value_or(0) > 59) return std::nullopt;
  return sign * (*hours * 3600 + minutes.value_or(0) * 60);
}

std::optional<int> TakeFraction(size_t digits, std::string_view& text) {
  std::optional<int> number = TakeNumber(digits, digits, text);
  for (size_t i = digits; number.has_value() && i < 9; ++i) *number *= 10;
  return number;
}

// Gives the part its value. False if there is none, or if the part has another one already.
template <typename Value, typename Read>
bool Set(std::optional<Value>& part, const std::optional<Read>& read) {
  if (!read.has_value()) return false;
  const auto value = static_cast<Value>(*read);
  if (part.has_value() && *part != value) return false;
  part = value;
  return true;
}

}  // namespace

absl::StatusOr<DateParser::Part> DateParser::ParseLetter(std::string_view pattern, size_t& at) {
  Part part;
  part.kind = Part::Kind::kLetter;
  part.letter = pattern[at];
  while (at < pattern.size() && pattern[at] == part.letter) ++part.count, ++at;
  if (!IsKnown(part.letter, part.count)) {
    return InvalidArgument(absl::StrCat("Unknown pattern letter: ", std::string(1, part.letter)));
  }
  // A number of any length would take the digits of the next one.
  const bool is_open =
      part.count == 1 && std::string_view("MLdHhms").find(part.letter) != std::string_view::npos;
  const bool is_followed = at < pattern.size() &&
                           absl::ascii_isalpha(static_cast<unsigned char>(pattern[at])) &&
                           std::string_view("aEXxZ").find(pattern[at]) == std::string_view::npos;
  if (is_open && is_followed) {
    return InvalidArgument(absl::StrCat("a number of one letter before another number: ",
                                        std::string(1, part.letter)));
  }
  return part;
}

absl::StatusOr<std::vector<DateParser::Part>> DateParser::ParseParts(std::string_view pattern,
                                                                     size_t& at, int depth) {
  std::vector<Part> parts;
  while (at < pattern.size() && pattern[at] != ']') {
    const char c = pattern[at];
    Part part;
    if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      PMDEX_ASSIGN_OR_RETURN(part, ParseLetter(pattern, at));
    } else if (c == '[') {
      if (depth == kMostNesting) return InvalidArgument("too many nested [");
      part.kind = Part::Kind::kOptional;
      PMDEX_ASSIGN_OR_RETURN(part.inner, ParseParts(pattern, ++at, depth + 1));
      if (at == pattern.size()) return InvalidArgument("Pattern has a [ without a ]");
      ++at;
    } else if (c == '\'') {
      const size_t end = pattern.find('\'', at + 1);
      if (end == pattern.npos) {
        return InvalidArgument("Pattern ends with an incomplete string literal");
      }
      part.text = end == at + 1 ? "'" : std::string(pattern.substr(at + 1, end - at - 1));
      at = end + 1;
    } else if (c == '{' || c == '}' || c == '#') {
      return InvalidArgument("Pattern includes reserved character: '" + std::string(1, c) + "'");
    } else {
      part.text = c;
      ++at;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

absl::StatusOr<DateParser> DateParser::Parse(std::string_view pattern) {
  DateParser parser;
  size_t at = 0;
  PMDEX_ASSIGN_OR_RETURN(parser.parts_, ParseParts(pattern, at, 0));
  if (at < pattern.size()) {
    return InvalidArgument("Pattern invalid as it contains ] without previous [");
  }
  return parser;
}

bool DateParser::ReadLetter(char letter, size_t count, std::string_view& text, DateParts& read) {
  const auto number = [&] { return TakeNumber(count, 2, text); };
  switch (letter) {
    case 'y':
    case 'u': {
      const bool is_fixed = count == 2 || count == 4;
      std::optional<int> year = TakeNumber(count, is_fixed ? count : 4, text);
      if (year.has_value() && count == 2) *year += 2000;
      return Set(read.year, year);
    }
    case 'M':
    case 'L': {
      std::optional<int> month = count <= 2 ? number() : TakeName(kMonths, count == 3, text);
      if (month.has_value() && count > 2) ++*month;
      return Set(read.month, month);
    }
    case 'E':
      return Set(read.weekday, TakeName(kDays, count <= 3, text));
    case 'd':
      return Set(read.day, number());
    case 'H':
      return Set(read.hour, number());
    case 'h':
      return Set(read.half_day_hour, number());
    case 'm':
      return Set(read.minute, number());
    case 's':
      return Set(read.second, number());
    case 'S':
      return Set(read.nanosecond, TakeFraction(count, text));
    case 'a': {
      const std::string_view half = text.substr(0, 2);
      if (half != "AM" && half != "PM") return false;
      text.remove_prefix(2);
      return Set(read.is_afternoon, std::optional<bool>(half == "PM"));
    }
    case 'Z':
      return Set(read.zone_seconds, TakeZone(count == 5, count == 5, true, text));
    default:
      return Set(read.zone_seconds, TakeZone(letter == 'X', count == 3, count > 1, text));
  }
}

bool DateParser::ReadPart(const Part& part, std::string_view& text, DateParts& read) {
  switch (part.kind) {
    case Part::Kind::kText:
      if (!text.starts_with(part.text)) return false;
      text.remove_prefix(part.text.size());
      return true;
    case Part::Kind::kLetter:
      return ReadLetter(part.letter, part.count, text, read);
    case Part::Kind::kOptional:
      break;
  }
  std::string_view rest = text;
  DateParts with = read;
  if (ReadParts(part.inner, rest, with)) {
    text = rest;
    read = with;
  }
  return true;
}

bool DateParser::ReadParts(const std::vector<Part>& parts, std::string_view& text,
                           DateParts& read) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Part& part) { return ReadPart(part, text, read); });
}

std::optional<DateParts> DateParser::Read(std::string_view text) const {
  DateParts read;
  if (!ReadParts(parts_, text, read) || !text.empty()) return std::nullopt;
  return read;
}

}  // namespace pmdex
