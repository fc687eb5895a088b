// Scalars of JSON become values of mapped fields, as Elasticsearch makes them: strings may hold
// numbers, fractions of whole numbers are cut off, floats are rounded. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/columns/value_parser.h"
#include "pmem/status.h"
#include "tools/server/mapping/mapped_field.h"

namespace pmdex {

struct ScalarValue {
  // False: the scalar is no value, but no error: an empty string for a number, a long keyword.
  bool is_there = true;
  uint64_t bits = 0;              // as in FieldValue
  std::string_view keyword = {};  // of a keyword; views the scalar
};

// The value of a scalar in this field, which is not text. The ApiError of a value that does not fit
// is the cause in Elasticsearch's words.
absl::StatusOr<ScalarValue> ReadScalar(const MappedField& field, JsonScalar scalar);

// The nearest float; nullopt if the text is no number. Infinite beyond the greatest float.
std::optional<float> ReadFloat(std::string_view text);

// The greatest multiple of `unit` that is not above the time; nullopt beyond the dates of 64 bits.
std::optional<int64_t> FloorDate(WideNanoseconds nanoseconds, int64_t unit);

}  // namespace pmdex
