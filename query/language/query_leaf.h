// One word or phrase of a query as a leaf of its tree: plain, a phrase with its slop, a prefix or
// wildcard, or fuzzy with its edits. Which of them it is, what is written says. Internal to the
// parser: lexer -> parser -> leaf -> builder (query_builder.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "query/language/query.h"
#include "query/language/query_builder.h"
#include "query/language/query_lexer.h"

namespace pmdex {

// What a word without a field of its own searches.
struct QueryScope {
  QueryFields fields;
  bool is_named = false;  // by the query, not the default
};

// word: a token of kind kWord, kBareOperator, kQuoted or kRegexp of the query `text`, and the `~N`
// that follows it, if any. nullptr when the analyzer removed all of it. Errors: see QueryError.
absl::StatusOr<std::unique_ptr<Query>> BuildLeaf(std::string_view text, const QueryToken& word,
                                                 const std::optional<QueryToken>& tilde,
                                                 const QueryScope& scope, QueryBuilder& builder);

}  // namespace pmdex
