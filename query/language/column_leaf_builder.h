// Builds the leaf of the query tree for a range, a comparison or a value of a field that is not
// text; expressions and fuzzy words of keywords are in query_leaf.h. Such values are not analysed.
// Internal to the parser, beside query_leaf.h. Stateless.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/columns/field_type.h"
#include "pmem/status.h"
#include "query/columns/value_bounds.h"
#include "query/language/query.h"
#include "query/language/query_lexer.h"

namespace pmdex {

// What the parser knows of the fields that are not text.
struct ColumnKnowledge {
  // The type of a field; nullopt: no document has it. Empty: no field has a type.
  std::function<std::optional<FieldType>(std::string_view field)> type_of;
  int64_t now = 0;  // nanoseconds since 1970 UTC, for bounds such as now-7d
  // Makes the range of a field whose bounds are not read as MakeRange reads them, such as dates in
  // a format of their own; nullopt for any other field. Empty: there is no such field.
  std::function<std::optional<RangeOutcome>(std::string_view field,
                                            const std::optional<BoundText>& low,
                                            const std::optional<BoundText>& high)>
      range_of = nullptr;

  std::optional<FieldType> TypeOf(std::string_view field) const {
    return type_of ? type_of(field) : std::nullopt;
  }
  // Require a field of this type, which is not text.
  RangeOutcome RangeOf(std::string_view field, FieldType type, const std::optional<BoundText>& low,
                       const std::optional<BoundText>& high) const;
  RangeOutcome EqualityOf(std::string_view field, FieldType type, std::string_view text) const;
};

// True if the token is of a kind that only BuildColumnLeaf reads, or the field is not text.
bool IsColumnLeaf(const QueryToken& token, std::string_view field,
                  const ColumnKnowledge& knowledge);

// text: the whole query, for messages. token: a token for which IsColumnLeaf is true. tilde: the
// `~N` that follows it, if any. A range of a field that does not exist matches nothing. Errors: see
// QueryError.
absl::StatusOr<std::unique_ptr<Query>> BuildColumnLeaf(std::string_view text,
                                                       const QueryToken& token,
                                                       const std::optional<QueryToken>& tilde,
                                                       const std::string& field,
                                                       const ColumnKnowledge& knowledge);

}  // namespace pmdex
