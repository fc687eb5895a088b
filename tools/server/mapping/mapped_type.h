// The types that Elasticsearch's mappings give to fields, and the types of the engine that hold
// their values. Narrow numbers are held by the types of 64 bits. Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/columns/field_type.h"

namespace pmdex {

enum class MappedType : uint8_t {
  kText,
  kKeyword,
  kLong,
  kInteger,
  kShort,
  kByte,
  kUnsignedLong,
  kDouble,
  kFloat,
  kBoolean,
  kDate,       // in milliseconds
  kDateNanos,  // in nanoseconds
};

// "text", "keyword", "long", ...
std::string_view NameOf(MappedType type);
std::optional<MappedType> ParseMappedType(std::string_view name);

FieldType StoredTypeOf(MappedType type);
// The mapped type of a field that a build without mappings made.
MappedType MappedTypeOf(FieldType type);

constexpr bool IsDate(MappedType type) {
  return type == MappedType::kDate || type == MappedType::kDateNanos;
}
constexpr bool IsNumber(MappedType type) {
  return type >= MappedType::kLong && type <= MappedType::kFloat;
}

}  // namespace pmdex
