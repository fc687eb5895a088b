// The types that a field may have. A field of type kText is analysed, and its words are in the term
// dictionary. A field of any other type is a column: each document has values of it, which are
// not analysed. The numbers are those of the medium. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

enum class FieldType : uint8_t {
  kText = 0,
  kI64 = 1,
  kU64 = 2,
  kF64 = 3,
  kBool = 4,
  kDate = 5,
  kKeyword = 6,
};
inline constexpr FieldType kAllFieldTypes[] = {
    FieldType::kText, FieldType::kI64,  FieldType::kU64,     FieldType::kF64,
    FieldType::kBool, FieldType::kDate, FieldType::kKeyword,
};

// "text", "i64", "u64", "f64", "bool", "date", "keyword": as schemas and users write them.
std::string_view ToString(FieldType type);
std::optional<FieldType> ParseFieldType(std::string_view name);
// The type of a number that was read from a file; nullopt if there is no such type.
std::optional<FieldType> FieldTypeOf(uint32_t number);

}  // namespace pmdex
