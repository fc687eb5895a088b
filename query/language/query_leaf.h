// Builds the leaf of the query tree for one word or phrase: a term, a phrase with its slop, a
// prefix or wildcard, a fuzzy word with its edits, or a regular expression. The token decides
// which. Internal to the parser: lexer -> parser -> leaf -> builder (query_builder.h). Stateless.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "query/language/query.h"
#include "query/language/query_builder.h"
#include "query/language/query_field_reader.h"
#include "query/language/query_lexer.h"

namespace pmdex {

// The fields that apply at a place of the query.
struct QueryScope {
  QueryFields fields;
  bool is_named = false;  // the query names the field; false: these are the default fields
};

// text: the whole query, for messages. word: a token of kind kWord, kBareOperator, kQuoted,
// kRegexp, kRange or kComparison, the last two only where the query names the field. tilde: the
// `~N` that follows it, if any; it means nothing behind a pattern. Returns nullptr when the
// analyzer removed all of the word. Errors: see QueryError.
absl::StatusOr<std::unique_ptr<Query>> BuildLeaf(std::string_view text, const QueryToken& word,
                                                 const std::optional<QueryToken>& tilde,
                                                 const QueryScope& scope, QueryBuilder& builder);

// The same in each of the fields: a match in any of them suffices, and the best score counts.
// lenient: a value that does not fit the type of a field, or a regular expression that cannot be
// read, finds nothing there; otherwise it is an error. A range is an error if one of the fields is
// text.
absl::StatusOr<std::unique_ptr<Query>> BuildLeafInFields(std::string_view text,
                                                         const QueryToken& word,
                                                         const std::optional<QueryToken>& tilde,
                                                         std::span<const WeightedField> fields,
                                                         bool lenient, QueryBuilder& builder);

// The slop of a phrase: the whole part of the number behind the tilde; 0 without one.
absl::StatusOr<uint32_t> SlopOf(std::string_view text, const std::optional<QueryToken>& tilde);

}  // namespace pmdex
