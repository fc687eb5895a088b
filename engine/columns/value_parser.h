// Scalars of JSON become values of typed fields. docs/FIELDS.md has the rules: a value that fits
// its type without loss is stored, and any other is a bad value, which the caller counts. Pure
// functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/columns/field_type.h"
#include "engine/columns/field_value.h"

namespace pmdex {

struct JsonScalar {
  enum class Kind { kString, kNumber, kBool };
  Kind kind = Kind::kString;
  // kString: the text without escapes, valid UTF-8. kNumber: the number as JSON writes it. kBool:
  // "true" or "false".
  std::string_view text;
};

// The value of a scalar in a field of this type; nullopt if it is bad. A keyword views the text of
// the scalar. Requires type != kText.
std::optional<FieldValue> ParseFieldValue(FieldType type, JsonScalar scalar);

// A number in decimal, as JSON writes it; besides, a plus sign and zeros may stand in front.
// nullopt if the text is no number, if it has a fraction, or if it is beyond the type. `3.0` and
// `3e2` are whole numbers.
std::optional<int64_t> ParseI64(std::string_view text);
std::optional<uint64_t> ParseU64(std::string_view text);
// The nearest double; nullopt beyond the greatest one.
std::optional<double> ParseF64(std::string_view text);

// True if the text is a number exactly as JSON writes it.
bool IsJsonNumber(std::string_view text);

}  // namespace pmdex
