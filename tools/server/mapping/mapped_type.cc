#include "tools/server/mapping/mapped_type.h"

namespace pmdex {
namespace {

struct NamedType {
  MappedType type;
  std::string_view name;
  FieldType stored;
};
// In the order of MappedType.
constexpr NamedType kTypes[] = {
    {MappedType::kText, "text", FieldType::kText},
    {MappedType::kKeyword, "keyword", FieldType::kKeyword},
    {MappedType::kLong, "long", FieldType::kI64},
    {MappedType::kInteger, "integer", FieldType::kI64},
    {MappedType::kShort, "short", FieldType::kI64},
    {MappedType::kByte, "byte", FieldType::kI64},
    {MappedType::kUnsignedLong, "unsigned_long", FieldType::kU64},
    {MappedType::kDouble, "double", FieldType::kF64},
    {MappedType::kFloat, "float", FieldType::kF64},
    {MappedType::kBoolean, "boolean", FieldType::kBool},
    {MappedType::kDate, "date", FieldType::kDate},
    {MappedType::kDateNanos, "date_nanos", FieldType::kDate},
};

}  // namespace

std::string_view NameOf(MappedType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

std::optional<MappedType> ParseMappedType(std::string_view name) {
  for (const NamedType& named : kTypes) {
    if (named.name == name) return named.type;
  }
  return std::nullopt;
}

FieldType StoredTypeOf(MappedType type) {
  return kTypes[static_cast<size_t>(type)].stored;
}

MappedType MappedTypeOf(FieldType type) {
  for (const NamedType& named : kTypes) {
    if (named.stored == type) return named.type;
  }
  return MappedType::kText;
}

}  // namespace pmdex
