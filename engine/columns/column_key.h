// The keys of values: unsigned numbers in the order of the values, so that one comparison serves
// all types. Stateless.
//
//   i64, date   the value with its sign bit flipped
//   u64, bool   the value
//   f64         the bits of the double in the total order of IEEE 754: -inf, negative numbers, -0,
//               0, positive numbers, +inf, NaN. All NaNs become the same one. A key keeps the sign
//               of -0. Code that compares values makes the keys of -0 and 0 equal (ComparableKey).
//   keyword     the ordinal: the index of the keyword among those of the segment in byte order
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/columns/field_type.h"

namespace pmdex {

inline constexpr uint64_t kKeySignBit = uint64_t{1} << 63;
inline constexpr uint64_t kKeyOfMinusZero = kKeySignBit - 1;
inline constexpr uint64_t kKeyOfZero = kKeySignBit;

inline uint64_t KeyOfI64(int64_t value) {
  return std::bit_cast<uint64_t>(value) ^ kKeySignBit;
}
inline int64_t I64OfKey(uint64_t key) {
  return std::bit_cast<int64_t>(key ^ kKeySignBit);
}

inline uint64_t KeyOfF64(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<uint64_t>(value);
  return (bits & kKeySignBit) != 0 ? ~bits : bits | kKeySignBit;
}
inline double F64OfKey(uint64_t key) {
  return std::bit_cast<double>((key & kKeySignBit) != 0 ? key ^ kKeySignBit : ~key);
}

// The key of a value of a type that is neither text nor keyword. bits: as in FieldValue.
inline uint64_t KeyOfBits(FieldType type, uint64_t bits) {
  switch (type) {
    case FieldType::kI64:
    case FieldType::kDate:
      return bits ^ kKeySignBit;
    case FieldType::kF64:
      return KeyOfF64(std::bit_cast<double>(bits));
    default:
      return bits;
  }
}
// The reverse of KeyOfBits.
inline uint64_t BitsOfKey(FieldType type, uint64_t key) {
  switch (type) {
    case FieldType::kI64:
    case FieldType::kDate:
      return key ^ kKeySignBit;
    case FieldType::kF64:
      return std::bit_cast<uint64_t>(F64OfKey(key));
    default:
      return key;
  }
}

// The same key for values that are equal.
inline uint64_t ComparableKey(FieldType type, uint64_t key) {
  return type == FieldType::kF64 && key == kKeyOfMinusZero ? kKeyOfZero : key;
}

}  // namespace pmdex
