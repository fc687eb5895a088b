// Reads the values of a query on a field that is not text, and makes the ColumnRange of them: a
// range, a comparison, one value, a prefix, a wildcard or a regular expression. Pure functions; the
// caller says what time it is. docs/FIELDS.md has the rules.
//
// Numbers may end in K, M, G or T, which are powers of 1,024. A bound beyond the type, or with a
// fraction for an integer, is mathematically right. One value of a date stands for all of the day,
// month or year that it names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/columns/field_type.h"
#include "query/columns/column_range.h"

namespace pmdex {

// One end of a range as the query says it.
struct BoundText {
  std::string text;  // without escapes and quotes
  bool inclusive = true;
};

enum class BadBound { kNone, kLow, kHigh };

// A range, or the bound that is no value of the type.
struct RangeOutcome {
  ColumnRange range;
  BadBound bad = BadBound::kNone;
};

// nullopt: no bound at this end. now: nanoseconds since 1970 UTC. Requires a type other than kText.
RangeOutcome MakeRange(FieldType type, const std::optional<BoundText>& low,
                       const std::optional<BoundText>& high, int64_t now);
// The documents with this value. `bad` is kLow if the text is no value of the type.
RangeOutcome MakeEquality(FieldType type, std::string_view text, int64_t now);
// Keywords that begin with the text.
ColumnRange MakePrefix(std::string_view text);
// Keywords that match the pattern, which WildcardPattern reads.
ColumnRange MakeWildcard(std::string_view pattern);
// Keywords that the expression matches as a whole.
ColumnRange MakeRegexp(std::shared_ptr<const RegexpAutomaton> expression);

}  // namespace pmdex
