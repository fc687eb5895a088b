#include "tools/server/mapping/value_reader.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

using Kind = JsonScalar::Kind;

constexpr size_t kMostKeywordBytes = 32766;  // as in Lucene

absl::Status NotNumeric(JsonScalar scalar) {
  return ApiError(400, "json_parse_exception",
                  absl::StrCat("Current token (VALUE_", scalar.text == "true" ? "TRUE" : "FALSE",
                               ") not numeric, can not use numeric value accessors"));
}

absl::Status NoNumber(std::string_view text) {
  return ApiError(400, "number_format_exception",
                  absl::StrCat("For input string: \"", ToAbsl(text), "\""));
}

struct IntegerBounds {
  int64_t least;
  int64_t greatest;
  const char* name;
};

IntegerBounds BoundsOf(MappedType type) {
  switch (type) {
    case MappedType::kInteger:
      return {INT32_MIN, INT32_MAX, "an integer"};
    case MappedType::kShort:
      return {INT16_MIN, INT16_MAX, "a short"};
    case MappedType::kByte:
      return {INT8_MIN, INT8_MAX, "a byte"};
    default:
      return {INT64_MIN, INT64_MAX, "a long"};
  }
}

absl::Status OutOfRange(std::string_view text, const char* type) {
  return BadArgument(absl::StrCat("Value [", ToAbsl(text), "] is out of range for ", type));
}

// The number without its fraction, where the text has no exponent.
std::string_view WithoutFraction(std::string_view text) {
  if (text.find_first_of("eE") != text.npos) return text;
  const std::string_view whole = text.substr(0, text.find('.'));
  return whole == "-0" ? "0" : whole;
}

// A number with an exponent and a fraction: 1.5e0.
std::optional<double> Truncated(std::string_view text) {
  std::optional<double> number = ParseF64(text);
  if (number.has_value()) *number = std::trunc(*number);
  return number;
}

absl::StatusOr<ScalarValue> ReadInteger(MappedType type, JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (scalar.kind == Kind::kBool) return NotNumeric(scalar);
  if (text.empty()) return ScalarValue{false};
  if (!ReadFloat(text).has_value()) return NoNumber(text);
  const IntegerBounds bounds = BoundsOf(type);
  std::optional<int64_t> number = ParseI64(WithoutFraction(text));
  if (!number.has_value()) {
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    const std::optional<double> whole = Truncated(text);
    const bool fits = whole.has_value() && *whole >= -kEnd && *whole < kEnd;
    if (fits && text.find_first_of("eE") != text.npos) number = static_cast<int64_t>(*whole);
  }
  if (!number.has_value() || *number < bounds.least || *number > bounds.greatest) {
    return OutOfRange(text, bounds.name);
  }
  return ScalarValue{true, std::bit_cast<uint64_t>(*number)};
}

absl::StatusOr<ScalarValue> ReadUnsigned(JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (scalar.kind == Kind::kBool) return NotNumeric(scalar);
  if (text.empty()) return ScalarValue{false};
  if (!ReadFloat(text).has_value()) return NoNumber(text);
  std::optional<uint64_t> number = ParseU64(WithoutFraction(text));
  if (!number.has_value()) {
    constexpr double kEnd = 18446744073709551616.0;  // 2^64
    const std::optional<double> whole = Truncated(text);
    const bool fits = whole.has_value() && *whole >= 0 && *whole < kEnd;
    if (fits && text.find_first_of("eE") != text.npos) number = static_cast<uint64_t>(*whole);
  }
  if (!number.has_value()) return OutOfRange(text, "an unsigned long");
  return ScalarValue{true, *number};
}

absl::StatusOr<ScalarValue> ReadReal(const MappedField& field, JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (scalar.kind == Kind::kBool) return NotNumeric(scalar);
  if (text.empty()) return ScalarValue{false};
  const auto not_finite = [&](std::string_view got) {
    return BadArgument(absl::StrCat("[", ToAbsl(NameOf(field.type)),
                                    "] supports only finite values, but got [", ToAbsl(got), "]"));
  };
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return not_finite(text);
  const std::optional<float> rounded = ReadFloat(text);
  if (!rounded.has_value()) return NoNumber(text);
  const std::optional<double> number =
      field.type == MappedType::kFloat ? static_cast<double>(*rounded) : ParseF64(text);
  if (!number.has_value() || std::isinf(*number)) {
    return not_finite(text[0] == '-' ? "-Infinity" : "Infinity");
  }
  return ScalarValue{true, std::bit_cast<uint64_t>(*number)};
}

absl::StatusOr<ScalarValue> ReadBoolean(JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (scalar.kind == Kind::kNumber) {
    return ApiError(400, "json_parse_exception",
                    "Current token (VALUE_NUMBER) not of boolean type");
  }
  if (text == "true") return ScalarValue{true, 1};
  if (text == "false" || text.empty()) return ScalarValue{true, 0};
  return BadArgument(absl::StrCat("Failed to parse value [", ToAbsl(text),
                                  "] as only [true] or [false] are allowed."));
}

absl::StatusOr<ScalarValue> ReadDate(const MappedField& field, JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (text.empty()) return BadArgument("cannot parse empty date");
  const std::optional<FormattedDate> date = field.format->Read(text);
  if (!date.has_value()) {
    return ApiError(400, "illegal_argument_exception",
                    absl::StrCat("failed to parse date field [", ToAbsl(text), "] with format [",
                                 field.format->text(), "]"),
                    {{"caused_by",
                      {{"type", "date_time_parse_exception"},
                       {"reason", "Failed to parse with all enclosed parsers"}}}});
  }
  if (field.type == MappedType::kDateNanos && date->first < 0) {
    return BadArgument(absl::StrCat("date[", ToAbsl(text),
                                    "] is before the epoch in 1970 and cannot be stored in "
                                    "nanosecond resolution"));
  }
  const std::optional<int64_t> value = FloorDate(date->first, field.date_unit());
  if (value.has_value()) return ScalarValue{true, std::bit_cast<uint64_t>(*value)};
  const bool is_after = date->first > 0;
  return BadArgument(
      absl::StrCat("date[", ToAbsl(text), "] is ", is_after ? "after " : "before ",
                   is_after ? "2262-04-11T23:47:16.854775807" : "1677-09-21T00:12:43.145224192",
                   " and cannot be stored in nanosecond resolution"));
}

// True if Java says that the text is longer than this. Reads no more of it than needed.
bool HasMoreCharacters(std::string_view text, size_t most) {
  size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) count += byte >= 0xf0 ? 2 : 1;
    if (count > most) return true;
  }
  return false;
}

absl::StatusOr<ScalarValue> ReadKeyword(const MappedField& field, JsonScalar scalar) {
  const std::string_view text = scalar.text;
  if (text.size() > field.most_characters && HasMoreCharacters(text, field.most_characters)) {
    return ScalarValue{false};
  }
  if (text.size() <= kMostKeywordBytes) return ScalarValue{true, 0, text};
  return BadArgument(
      absl::StrCat("bytes can be at most ", kMostKeywordBytes, " in length; got ", text.size()));
}

}  // namespace

std::optional<float> ReadFloat(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool is_digit_first =
      !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  if (!is_digit_first) return std::nullopt;
  float number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (at != end || error == std::errc::invalid_argument || std::isnan(number)) return std::nullopt;
  if (error != std::errc::result_out_of_range) return number;
  // Out of range is what is too large, and what is too small.
  const std::optional<double> wide = ParseF64(text);
  return wide.has_value()
             ? static_cast<float>(*wide)
             : std::copysign(std::numeric_limits<float>::infinity(), text[0] == '-' ? -1.0f : 1.0f);
}

std::optional<int64_t> FloorDate(WideNanoseconds nanoseconds, int64_t unit) {
  const WideNanoseconds rest = nanoseconds % unit;
  return NarrowDate(nanoseconds - rest - (rest < 0 ? unit : 0));
}

absl::StatusOr<ScalarValue> ReadScalar(const MappedField& field, JsonScalar scalar) {
  switch (field.type) {
    case MappedType::kKeyword:
    case MappedType::kText:
      return ReadKeyword(field, scalar);
    case MappedType::kUnsignedLong:
      return ReadUnsigned(scalar);
    case MappedType::kDouble:
    case MappedType::kFloat:
      return ReadReal(field, scalar);
    case MappedType::kBoolean:
      return ReadBoolean(scalar);
    case MappedType::kDate:
    case MappedType::kDateNanos:
      return ReadDate(field, scalar);
    default:
      return ReadInteger(field.type, scalar);
  }
}

}  // namespace pmdex
