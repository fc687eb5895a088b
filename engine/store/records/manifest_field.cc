#include "engine/store/records/manifest_field.h"

#include <cstring>

namespace pmdex {
namespace {

// The name follows.
struct FieldRecord {
  uint8_t type;
  uint8_t values;
};
static_assert(sizeof(FieldRecord) == 2);

}  // namespace

std::vector<std::byte> EncodeField(const std::string& name, const FieldSpec& spec) {
  std::vector<std::byte> payload(sizeof(FieldRecord) + name.size());
  const FieldRecord record{static_cast<uint8_t>(spec.type), static_cast<uint8_t>(spec.values)};
  std::memcpy(payload.data(), &record, sizeof record);
  std::memcpy(payload.data() + sizeof record, name.data(), name.size());
  return payload;
}

bool DecodeField(std::span<const std::byte> payload, FieldSpecs& fields) {
  FieldRecord record;
  if (payload.size() < sizeof record) return false;
  std::memcpy(&record, payload.data(), sizeof record);
  const auto type = FieldTypeOf(record.type);
  if (!type.has_value() || record.values > static_cast<uint8_t>(Multiplicity::kMany)) return false;
  const auto name = payload.subspan(sizeof record);
  const FieldSpec spec = {*type, static_cast<Multiplicity>(record.values)};
  return fields.emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()), spec)
      .second;
}

}  // namespace pmdex
