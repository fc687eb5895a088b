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

}  // namespace pmdex
