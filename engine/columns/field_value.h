// One value of a column, as parsers hand it to the builder of the column. A plain value; the text
// of a keyword is a view that the holder of the value keeps alive.
//
// A number, a truth value and a date are the 64 bits of their type:
//   i64    int64_t
//   u64    uint64_t
//   f64    double; finite, and -0.0 keeps its sign
//   bool   0 or 1
//   date   int64_t, nanoseconds since 1970 UTC
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/columns/field_type.h"

namespace pmdex {

// UTF-8 text of a keyword has at most so many bytes.
inline constexpr size_t kMaxKeywordBytes = size_t{32} << 10;

struct FieldValue {
  FieldType type = FieldType::kI64;  // never kText
  uint64_t bits = 0;                 // of every type but kKeyword
  std::string_view keyword;          // of kKeyword

  static FieldValue I64(int64_t value) {
    return {FieldType::kI64, std::bit_cast<uint64_t>(value), {}};
  }
  static FieldValue U64(uint64_t value) { return {FieldType::kU64, value, {}}; }
  static FieldValue F64(double value) {
    return {FieldType::kF64, std::bit_cast<uint64_t>(value), {}};
  }
  static FieldValue Bool(bool value) { return {FieldType::kBool, value ? uint64_t{1} : 0, {}}; }
  static FieldValue Date(int64_t nanoseconds) {
    return {FieldType::kDate, std::bit_cast<uint64_t>(nanoseconds), {}};
  }
  static FieldValue Keyword(std::string_view text) { return {FieldType::kKeyword, 0, text}; }

  int64_t i64() const { return std::bit_cast<int64_t>(bits); }  // of kI64 and kDate
  uint64_t u64() const { return bits; }
  double f64() const { return std::bit_cast<double>(bits); }
  bool boolean() const { return bits != 0; }

  // Of the same type and the same bits: 0.0 and -0.0 differ.
  friend bool operator==(const FieldValue&, const FieldValue&) = default;
};

}  // namespace pmdex
