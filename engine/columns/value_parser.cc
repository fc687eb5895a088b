#include "engine/columns/value_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

#include "engine/columns/date_text.h"

namespace pmdex {
namespace {

// Exponents are cut off there. No text is so long that a greater one matters.
constexpr int64_t kMostExponent = int64_t{1} << 40;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

// A number in decimal, in its parts.
struct Decimal {
  bool negative = false;
  std::string_view whole;     // digits before the point; at least one
  std::string_view fraction;  // digits behind it
  bool has_point = false;
  int64_t exponent = 0;

  bool IsZero() const {
    const auto is_zero = [](char c) { return c == '0'; };
    return std::all_of(whole.begin(), whole.end(), is_zero) &&
           std::all_of(fraction.begin(), fraction.end(), is_zero);
  }
};

// "e-5" at the front of the text; nullopt if it is no exponent.
std::optional<int64_t> TakeExponent(std::string_view& text) {
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t digits = CountDigits(text);
  if (digits == 0) return std::nullopt;
  int64_t exponent = 0;
  for (const char c : text.substr(0, digits)) {
    exponent = std::min(exponent * 10 + (c - '0'), kMostExponent);
  }
  text.remove_prefix(digits);
  return negative ? -exponent : exponent;
}

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal number;
  number.negative = text.starts_with('-');
  if (number.negative || text.starts_with('+')) text.remove_prefix(1);
  number.whole = text.substr(0, CountDigits(text));
  if (number.whole.empty()) return std::nullopt;
  text.remove_prefix(number.whole.size());
  number.has_point = text.starts_with('.');
  if (number.has_point) {
    text.remove_prefix(1);
    number.fraction = text.substr(0, CountDigits(text));
    if (number.fraction.empty()) return std::nullopt;
    text.remove_prefix(number.fraction.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    const auto exponent = TakeExponent(text);
    if (!exponent.has_value()) return std::nullopt;
    number.exponent = *exponent;
  }
  if (!text.empty()) return std::nullopt;
  return number;
}

// The magnitude of a whole number; nullopt if there is a fraction, or more than 64 bits.
std::optional<uint64_t> WholeMagnitude(const Decimal& number) {
  if (number.IsZero()) return 0;
  // So many digits belong to the whole number; those behind them must be zero.
  const int64_t places = static_cast<int64_t>(number.whole.size()) + number.exponent;
  uint64_t magnitude = 0;
  int64_t place = 0;
  const auto take = [&](uint64_t digit) {
    if (place++ >= places) return digit == 0;
    return !__builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) &&
           !__builtin_add_overflow(magnitude, digit, &magnitude);
  };
  for (const std::string_view digits : {number.whole, number.fraction}) {
    for (const char c : digits) {
      if (!take(static_cast<uint64_t>(c - '0'))) return std::nullopt;
    }
  }
  // It is not zero, so this ends after twenty places at the latest.
  while (place < places) {
    if (!take(0)) return std::nullopt;
  }
  return magnitude;
}

// True if the number is less than 1 by magnitude. Requires that it is not zero.
bool IsFractional(const Decimal& number) {
  int64_t place = static_cast<int64_t>(number.whole.size()) + number.exponent;
  for (const std::string_view digits : {number.whole, number.fraction}) {
    for (const char c : digits) {
      if (c != '0') return place <= 0;
      --place;
    }
  }
  return true;
}

std::optional<FieldValue> ParseDate(JsonScalar scalar) {
  if (scalar.kind == JsonScalar::Kind::kString) {
    if (const auto date = ParseDateText(scalar.text); date.has_value()) {
      const auto value = NarrowDate(date->first);
      if (!value.has_value()) return std::nullopt;
      return FieldValue::Date(*value);
    }
  }
  const auto milliseconds = ParseI64(scalar.text);
  int64_t nanoseconds = 0;
  if (!milliseconds.has_value() ||
      __builtin_mul_overflow(*milliseconds, kNanosecondsPerMillisecond, &nanoseconds)) {
    return std::nullopt;
  }
  return FieldValue::Date(nanoseconds);
}

// As Elasticsearch: an empty string is false.
std::optional<FieldValue> ParseBool(JsonScalar scalar) {
  if (scalar.kind == JsonScalar::Kind::kNumber) return std::nullopt;
  if (scalar.text == "true") return FieldValue::Bool(true);
  if (scalar.text == "false" || scalar.text.empty()) return FieldValue::Bool(false);
  return std::nullopt;
}

// The number of a text of so few digits that it fits; nullopt for all others.
std::optional<uint64_t> FewDigits(std::string_view text) {
  constexpr size_t kFits = 18;
  if (text.empty() || text.size() > kFits) return std::nullopt;
  uint64_t number = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

// The value of a number with at most fifteen digits and no exponent, such as most numbers are;
// nullopt for all others. It is exact, because its digits and the power of ten are doubles
// (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
std::optional<double> ParseShortF64(std::string_view text) {
  constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  constexpr size_t kMostDigits = std::size(kPowers);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.size() > kMostDigits + 1) return std::nullopt;
  uint64_t digits = 0;
  size_t point = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' && point == text.size()) {
      point = i;
    } else if (IsDigit(text[i])) {
      digits = digits * 10 + static_cast<uint64_t>(text[i] - '0');
    } else {
      return std::nullopt;
    }
  }
  const bool has_point = point != text.size();
  const size_t fraction = has_point ? text.size() - point - 1 : 0;
  if (point == 0 || (has_point && fraction == 0) || point + fraction > kMostDigits) {
    return std::nullopt;
  }
  const double value = static_cast<double>(digits) / kPowers[fraction];
  return is_negative ? -value : value;
}

}  // namespace

std::optional<int64_t> ParseI64(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (const auto few = FewDigits(text.substr(is_negative ? 1 : 0))) {
    return is_negative ? -static_cast<int64_t>(*few) : static_cast<int64_t>(*few);
  }
  const auto number = ParseDecimal(text);
  if (!number.has_value()) return std::nullopt;
  const auto magnitude = WholeMagnitude(*number);
  if (!magnitude.has_value()) return std::nullopt;
  constexpr uint64_t kGreatest = std::numeric_limits<int64_t>::max();
  if (*magnitude > kGreatest + (number->negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(number->negative ? uint64_t{0} - *magnitude : *magnitude);
}

std::optional<uint64_t> ParseU64(std::string_view text) {
  if (const auto few = FewDigits(text)) return few;
  const auto number = ParseDecimal(text);
  if (!number.has_value()) return std::nullopt;
  const auto magnitude = WholeMagnitude(*number);
  if (!magnitude.has_value() || (number->negative && *magnitude != 0)) return std::nullopt;
  return magnitude;
}

std::optional<double> ParseF64(std::string_view text) {
  if (const auto value = ParseShortF64(text)) return value;
  const auto number = ParseDecimal(text);
  if (!number.has_value()) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);  // from_chars knows no plus
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  // It says so of numbers that are too small for a double, too; they are zero.
  if (read.ec == std::errc::result_out_of_range) {
    if (!IsFractional(*number)) return std::nullopt;
    return number->negative ? -0.0 : 0.0;
  }
  if (read.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool IsJsonNumber(std::string_view text) {
  if (FewDigits(text).has_value()) return text.size() == 1 || text[0] != '0';
  if (text.starts_with('+')) return false;
  const auto number = ParseDecimal(text);
  return number.has_value() && (number->whole.size() == 1 || number->whole[0] != '0');
}

std::optional<FieldValue> ParseFieldValue(FieldType type, JsonScalar scalar) {
  if (type == FieldType::kKeyword) {
    if (scalar.text.size() > kMaxKeywordBytes) return std::nullopt;
    return FieldValue::Keyword(scalar.text);
  }
  if (type == FieldType::kBool) return ParseBool(scalar);
  if (scalar.kind == JsonScalar::Kind::kBool) return std::nullopt;
  if (type == FieldType::kDate) return ParseDate(scalar);
  if (type == FieldType::kF64) {
    const auto value = ParseF64(scalar.text);
    return value.has_value() ? std::optional(FieldValue::F64(*value)) : std::nullopt;
  }
  if (type == FieldType::kU64) {
    const auto value = ParseU64(scalar.text);
    return value.has_value() ? std::optional(FieldValue::U64(*value)) : std::nullopt;
  }
  const auto value = ParseI64(scalar.text);
  return value.has_value() ? std::optional(FieldValue::I64(*value)) : std::nullopt;
}

}  // namespace pmdex
