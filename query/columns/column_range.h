// A condition on the values of a field that is not text: a range, one value, or a pattern of
// keywords. A document matches if one of its values does. The parser makes it from the text of a
// query (value_bounds.h), and column_keys.h finds what it means in a segment. A plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/columns/field_type.h"

namespace pmdex {

class RegexpAutomaton;

// One end of a range of keywords.
struct KeywordBound {
  std::string text;
  bool inclusive = true;
};

struct ColumnRange {
  FieldType type = FieldType::kI64;
  // The keys (column_key.h) in [low, high] match; none if low > high. Not of keywords.
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;
  // Of keywords; nullopt: no bound.
  std::optional<KeywordBound> from;
  std::optional<KeywordBound> to;
  std::string pattern;  // of keywords: a wildcard that must match, too; empty: any
  // Of keywords: an expression that must match the whole keyword, too; nullptr: any.
  std::shared_ptr<const RegexpAutomaton> regexp;
};

}  // namespace pmdex
