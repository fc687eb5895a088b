#include "query/columns/value_bounds.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/analysis/code_points.h"
#include "engine/columns/column_key.h"
#include "engine/columns/date_math.h"
#include "query/expansion/term_pattern.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {
namespace {

using Wide = __int128;

// A number as a query writes it: an integer if `is_whole`, otherwise `real`.
struct Number {
  bool is_whole = false;
  Wide whole = 0;  // beyond 2^100 cut off there
  double real = 0;
};

constexpr Wide kWideLimit = Wide{1} << 100;
constexpr Wide kMostExactInteger = Wide{1} << 53;  // up to here a double has each

// 0 unless the text ends in the letter of a power of 1,024.
int ShiftOf(char last) {
  switch (last) {
    case 'K':
    case 'k':
      return 10;
    case 'M':
    case 'm':
      return 20;
    case 'G':
    case 'g':
      return 30;
    case 'T':
    case 't':
      return 40;
    default:
      return 0;
  }
}

// nullopt if the text is not digits alone.
std::optional<Wide> ParseWhole(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  Wide value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    if (value < kWideLimit) value = value * 10 + (c - '0');
  }
  return value;
}

// nullopt if the text is no real number.
std::optional<double> ParseReal(std::string_view text) {
  double real = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
  if (parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    // Too large, or too close to 0: from_chars does not tell which, but strtod does.
    return std::strtod(std::string(text).c_str(), nullptr);
  }
  return parsed.ec == std::errc() ? std::optional(real) : std::nullopt;
}

std::optional<Number> ParseNumber(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  std::string_view rest = text;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  const int shift = rest.size() > 1 ? ShiftOf(rest.back()) : 0;
  if (shift != 0) rest.remove_suffix(1);
  // from_chars also knows "infinity" and hexadecimal digits, which are no numbers here.
  if (rest.empty() || (rest != "inf" && rest[0] != '.' && (rest[0] < '0' || rest[0] > '9'))) {
    return std::nullopt;
  }
  Number number;
  if (const std::optional<Wide> whole = ParseWhole(rest)) {
    number.is_whole = true;
    number.whole = *whole >= (kWideLimit >> shift) ? kWideLimit : *whole << shift;
  }
  if (number.is_whole && number.whole <= kMostExactInteger) {
    number.real = static_cast<double>(static_cast<int64_t>(number.whole));
  } else {
    const std::optional<double> real = ParseReal(rest);
    if (!real.has_value()) return std::nullopt;
    number.real = std::ldexp(*real, shift);
  }
  if (!number.is_whole && std::isfinite(number.real) && std::abs(number.real) < 0x1p100 &&
      std::trunc(number.real) == number.real) {
    number.is_whole = true;
    number.whole = static_cast<Wide>(number.real);
  }
  if (negative) {
    number.whole = -number.whole;
    number.real = -number.real;
  }
  return number;
}

// The least integer that a lower bound lets pass.
Wide LeastOf(const Number& number, bool inclusive) {
  if (number.is_whole) return number.whole + (inclusive ? 0 : 1);
  if (number.real >= 0x1p100) return kWideLimit;
  if (number.real <= -0x1p100) return -kWideLimit;
  return static_cast<Wide>(std::ceil(number.real));
}
Wide GreatestOf(const Number& number, bool inclusive) {
  if (number.is_whole) return number.whole - (inclusive ? 0 : 1);
  if (number.real >= 0x1p100) return kWideLimit;
  if (number.real <= -0x1p100) return -kWideLimit;
  return static_cast<Wide>(std::floor(number.real));
}

// Cuts [low, high] to the integers of the type, and makes keys of them.
void SetIntegers(Wide low, Wide high, ColumnRange& range) {
  const bool is_signed = range.type != FieldType::kU64;
  const Wide least = is_signed ? Wide{std::numeric_limits<int64_t>::min()} : Wide{0};
  const Wide greatest = is_signed ? Wide{std::numeric_limits<int64_t>::max()}
                                  : Wide{std::numeric_limits<uint64_t>::max()};
  low = low < least ? least : low;
  high = high > greatest ? greatest : high;
  if (low > high) {
    range.low = 1;
    range.high = 0;
    return;
  }
  range.low = is_signed ? KeyOfI64(static_cast<int64_t>(low)) : static_cast<uint64_t>(low);
  range.high = is_signed ? KeyOfI64(static_cast<int64_t>(high)) : static_cast<uint64_t>(high);
}

RangeOutcome IntegerRange(FieldType type, const std::optional<BoundText>& low,
                          const std::optional<BoundText>& high) {
  RangeOutcome outcome;
  outcome.range.type = type;
  Wide least = -kWideLimit;
  Wide greatest = kWideLimit;
  if (low.has_value()) {
    const std::optional<Number> number = ParseNumber(low->text);
    if (!number.has_value()) return {outcome.range, BadBound::kLow};
    least = LeastOf(*number, low->inclusive);
  }
  if (high.has_value()) {
    const std::optional<Number> number = ParseNumber(high->text);
    if (!number.has_value()) return {outcome.range, BadBound::kHigh};
    greatest = GreatestOf(*number, high->inclusive);
  }
  SetIntegers(least, greatest, outcome.range);
  return outcome;
}

// The keys of -0 and 0 are neighbours, and both are equal to either bound.
RangeOutcome RealRange(const std::optional<BoundText>& low, const std::optional<BoundText>& high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RangeOutcome outcome;
  outcome.range.type = FieldType::kF64;
  if (!low.has_value() && !high.has_value()) return outcome;
  outcome.range.low = KeyOfF64(-kInfinity);
  outcome.range.high = KeyOfF64(kInfinity);
  if (low.has_value()) {
    const std::optional<Number> number = ParseNumber(low->text);
    if (!number.has_value()) return {outcome.range, BadBound::kLow};
    const uint64_t key = KeyOfF64(number->real);
    outcome.range.low = low->inclusive ? (number->real == 0 ? kKeyOfMinusZero : key)
                                       : (number->real == 0 ? kKeyOfZero : key) + 1;
  }
  if (high.has_value()) {
    const std::optional<Number> number = ParseNumber(high->text);
    if (!number.has_value()) return {outcome.range, BadBound::kHigh};
    const uint64_t key = KeyOfF64(number->real);
    outcome.range.high = high->inclusive ? (number->real == 0 ? kKeyOfZero : key)
                                         : (number->real == 0 ? kKeyOfMinusZero : key) - 1;
  }
  return outcome;
}

std::optional<Wide> ParseBool(std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  return std::nullopt;
}

RangeOutcome BoolRange(const std::optional<BoundText>& low, const std::optional<BoundText>& high) {
  RangeOutcome outcome;
  outcome.range.type = FieldType::kBool;
  Wide least = 0;
  Wide greatest = 1;
  if (low.has_value()) {
    const std::optional<Wide> value = ParseBool(low->text);
    if (!value.has_value()) return {outcome.range, BadBound::kLow};
    least = *value + (low->inclusive ? 0 : 1);
  }
  if (high.has_value()) {
    const std::optional<Wide> value = ParseBool(high->text);
    if (!value.has_value()) return {outcome.range, BadBound::kHigh};
    greatest = *value - (high->inclusive ? 0 : 1);
  }
  outcome.range.low = least > greatest ? 1 : static_cast<uint64_t>(least);
  outcome.range.high = least > greatest ? 0 : static_cast<uint64_t>(greatest);
  return outcome;
}

// The date, far beyond all others where it is beyond.
Wide WideOf(const DateBound& bound) {
  if (bound.beyond != 0) return bound.beyond < 0 ? -kWideLimit : kWideLimit;
  return bound.nanoseconds;
}

RangeOutcome DateRange(const std::optional<BoundText>& low, const std::optional<BoundText>& high,
                       int64_t now) {
  RangeOutcome outcome;
  outcome.range.type = FieldType::kDate;
  Wide least = -kWideLimit;
  Wide greatest = kWideLimit;
  if (low.has_value()) {
    const auto rounding = low->inclusive ? DateRounding::kStart : DateRounding::kEnd;
    const std::optional<DateBound> bound = ParseDateBound(low->text, now, rounding);
    if (!bound.has_value()) return {outcome.range, BadBound::kLow};
    least = WideOf(*bound) + (low->inclusive ? 0 : 1);
  }
  if (high.has_value()) {
    const auto rounding = high->inclusive ? DateRounding::kEnd : DateRounding::kStart;
    const std::optional<DateBound> bound = ParseDateBound(high->text, now, rounding);
    if (!bound.has_value()) return {outcome.range, BadBound::kHigh};
    greatest = WideOf(*bound) - (high->inclusive ? 0 : 1);
  }
  SetIntegers(least, greatest, outcome.range);
  return outcome;
}

}  // namespace

RangeOutcome MakeRange(FieldType type, const std::optional<BoundText>& low,
                       const std::optional<BoundText>& high, int64_t now) {
  switch (type) {
    case FieldType::kF64:
      return RealRange(low, high);
    case FieldType::kBool:
      return BoolRange(low, high);
    case FieldType::kDate:
      return DateRange(low, high, now);
    case FieldType::kKeyword: {
      RangeOutcome outcome;
      outcome.range.type = type;
      if (low.has_value()) outcome.range.from = KeywordBound{low->text, low->inclusive};
      if (high.has_value()) outcome.range.to = KeywordBound{high->text, high->inclusive};
      return outcome;
    }
    default:
      return IntegerRange(type, low, high);
  }
}

RangeOutcome MakeEquality(FieldType type, std::string_view text, int64_t now) {
  const BoundText bound{std::string(text), true};
  return MakeRange(type, bound, bound, now);
}

ColumnRange MakePrefix(std::string_view text) {
  ColumnRange range;
  range.type = FieldType::kKeyword;
  range.from = KeywordBound{std::string(text), true};
  std::string end(text);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return range;
  end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  range.to = KeywordBound{end, false};
  return range;
}

ColumnRange MakeWildcard(std::string_view pattern) {
  ColumnRange range = MakePrefix(WildcardPattern(pattern).literal_prefix());
  range.pattern = pattern;
  return range;
}

ColumnRange MakeRegexp(std::shared_ptr<const RegexpAutomaton> expression) {
  ColumnRange range = MakePrefix(expression->LiteralPrefix());
  range.regexp = std::move(expression);
  return range;
}

}  // namespace pmdex
