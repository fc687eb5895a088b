// What Elasticsearch calls the types of fields. Stateless.
#pragma once

#include "engine/columns/field_type.h"

namespace pmdex {

constexpr const char* MappedTypeName(FieldType type) {
  switch (type) {
    case FieldType::kI64:
      return "long";
    case FieldType::kU64:
      return "unsigned_long";
    case FieldType::kF64:
      return "double";
    case FieldType::kBool:
      return "boolean";
    case FieldType::kDate:
      return "date";
    case FieldType::kKeyword:
      return "keyword";
    case FieldType::kText:
      break;
  }
  return "text";
}

}  // namespace pmdex
