#include "engine/columns/field_type.h"

#include <iterator>

namespace pmdex {

std::string_view ToString(FieldType type) {
  switch (type) {
    case FieldType::kText:
      return "text";
    case FieldType::kI64:
      return "i64";
    case FieldType::kU64:
      return "u64";
    case FieldType::kF64:
      return "f64";
    case FieldType::kBool:
      return "bool";
    case FieldType::kDate:
      return "date";
    case FieldType::kKeyword:
      return "keyword";
  }
  return "unknown";
}

std::optional<FieldType> ParseFieldType(std::string_view name) {
  for (const FieldType type : kAllFieldTypes) {
    if (ToString(type) == name) return type;
  }
  return std::nullopt;
}

std::optional<FieldType> FieldTypeOf(uint32_t number) {
  if (number >= std::size(kAllFieldTypes)) return std::nullopt;
  return kAllFieldTypes[number];
}

}  // namespace pmdex
