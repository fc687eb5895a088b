// What an index knows of a field before it looks at its values: the type, and whether a document
// may have several values. The manifest keeps it for each field. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/columns/field_type.h"

namespace pmdex {

enum class Multiplicity : uint8_t {
  kOpen = 0,  // nothing is said; the field becomes kMany when a document gives an array
  kOne = 1,   // an array is a bad value
  kMany = 2,
};

struct FieldSpec {
  FieldType type = FieldType::kText;
  Multiplicity values = Multiplicity::kOpen;

  bool multi() const { return values == Multiplicity::kMany; }
  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

using FieldSpecs = std::map<std::string, FieldSpec, std::less<>>;

}  // namespace pmdex
