// The numbers that keys of columns (engine/columns/column_key.h) stand for, for arithmetic that
// holds every 64-bit integer. Stateless.
#pragma once

#include <cstdint>

#include "engine/columns/column_key.h"
#include "engine/columns/field_type.h"

namespace pmdex {

using Wide = __int128;

// Of a key of any type but f64.
inline Wide WideOfKey(FieldType type, uint64_t key) {
  const bool is_signed = type == FieldType::kI64 || type == FieldType::kDate;
  return is_signed ? Wide{I64OfKey(key)} : Wide{key};
}

inline double DoubleOfKey(FieldType type, uint64_t key) {
  return type == FieldType::kF64 ? F64OfKey(key) : static_cast<double>(WideOfKey(type, key));
}

inline bool IsNumber(FieldType type) {
  return type == FieldType::kI64 || type == FieldType::kU64 || type == FieldType::kF64;
}

// The key of a number of any type as an f64. Integers beyond 2^53 become the nearest f64.
inline uint64_t WidenedKey(FieldType type, uint64_t key) {
  return ComparableKey(FieldType::kF64, KeyOfF64(DoubleOfKey(type, key)));
}

}  // namespace pmdex
