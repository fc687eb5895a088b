// The fields of a build, as the registry holds them and as a checkpoint keeps them. Plain values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/columns/field_spec.h"

namespace pmdex {

struct KnownField {
  // nullopt: the name has a place, and its first value decides the type.
  std::optional<FieldSpec> spec;
  // True if a value behind the sample decided the type, or is going to.
  bool is_late = false;

  static KnownField Of(const FieldSpec& spec) { return {spec, false}; }
  static KnownField Reserved() { return {std::nullopt, true}; }
  friend bool operator==(const KnownField&, const KnownField&) = default;
};

// `is_late` does not change what a field takes. An object under the name of a field is a bad value
// only if the field is not late, because it may come before the field is known.
using KnownFields = std::map<std::string, KnownField, std::less<>>;

}  // namespace pmdex
