// The fields of a build, as the registry holds them and as a checkpoint keeps them. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/columns/field_spec.h"

namespace pmdex {

// Where a document stands in the input of a build. It is the same in a run that goes on.
struct InputPosition {
  uint64_t ordinal = 0;  // of the file in the walk
  uint64_t line = 0;
  friend auto operator<=>(const InputPosition&, const InputPosition&) = default;
};

struct KnownField {
  // nullopt: the name has a place, and its first value decides the type.
  std::optional<FieldSpec> spec;
  // True if a value behind the sample decided the type, or is going to.
  bool is_late = false;
  // Of a late field: where the value stands that decided the type.
  std::optional<InputPosition> decided_at = std::nullopt;

  static KnownField Of(const FieldSpec& spec) { return {spec, false}; }
  static KnownField Reserved() { return {std::nullopt, true}; }
  friend bool operator==(const KnownField&, const KnownField&) = default;
};

// `is_late` does not change what a field takes. An object under the name of a field is a bad value
// only if the field is not late, because it may come before the field is known.
using KnownFields = std::map<std::string, KnownField, std::less<>>;

// The types that are known now, without names that have no value.
inline FieldSpecs SpecsOf(const KnownFields& fields) {
  FieldSpecs specs;
  for (const auto& [name, field] : fields) {
    if (field.spec.has_value()) specs.emplace(name, *field.spec);
  }
  return specs;
}

}  // namespace pmdex
