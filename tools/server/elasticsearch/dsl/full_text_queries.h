// Reads match, match_phrase, match_phrase_prefix, match_bool_prefix and multi_match. Their text is
// analysed as the text of documents is. Returned trees have no boost of the query itself yet.
#pragma once

#include <string_view>

#include "tools/server/elasticsearch/dsl/dsl_scope.h"
#include "tools/server/elasticsearch/dsl/match_options.h"

namespace pmdex {

enum class MatchKind { kWords, kPhrase, kPhrasePrefix, kBoolPrefix };

// The query that finds the text of the options in one field.
QueryOr MatchIn(DslScope& scope, MatchKind kind, std::string_view query, std::string_view field,
                const MatchOptions& options);
// Reads multi_match. options: the object of the query, with known keys.
QueryOr ReadMultiMatch(DslScope& scope, const Json& options);

// A fuzzy word; without edits a term. `text` is analysed.
QueryPtr FuzzyLeaf(std::string_view field, std::string_view text, uint32_t edits,
                   const MatchOptions& options);
// The same for a field of keywords, whose score counts how rare a keyword is also without edits.
QueryPtr FuzzyKeywordLeaf(std::string_view field, std::string_view text, uint32_t edits,
                          const MatchOptions& options);

}  // namespace pmdex
