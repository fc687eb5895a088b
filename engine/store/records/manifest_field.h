// A field in a manifest: its bytes, which docs/FORMAT.md describes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/columns/field_spec.h"

namespace pmdex {

// The payload of a field's record.
std::vector<std::byte> EncodeField(const std::string& name, const FieldSpec& spec);
// Adds the field of a record. False if the payload cannot be that of a field, or if the name is
// there already.
bool DecodeField(std::span<const std::byte> payload, FieldSpecs& fields);

}  // namespace pmdex
