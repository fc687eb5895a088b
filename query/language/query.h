// The query tree: what a query means, independent of any index. The parser builds it, and the
// planner binds it to a snapshot. A plain value, immutable once it is built.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pmdex {

enum class QueryKind {
  kNone,      // matches nothing: every word was a stop word
  kAll,       // every document, score 1
  kTerm,      // one analysed term in one field
  kPhrase,    // terms at offsets, with slop
  kPrefix,    // constant score 1 per field
  kWildcard,  // constant score 1 per field; `*` any run, `?` one code point, `\` escapes
  kFuzzy,     // terms within `edits` (Damerau-Levenshtein over code points), scored like terms
  kRegexp,    // constant score 1 per field; the expression must match whole terms
  kBoolean,
};

enum class Occur { kShould, kMust, kMustNot };

struct Query;
class RegexpAutomaton;

struct Clause {
  Occur occur = Occur::kShould;
  std::unique_ptr<Query> query;
};

// A word that searches several named fields is a boolean with one should-clause per field: a match
// in any field suffices, and the scores are added. A word without a field name searches every text
// field of the index in the same way. It stays one node; the planner finds the fields that have it.
struct Query {
  QueryKind kind = QueryKind::kNone;
  float boost = 1.0f;
  std::string field;               // all kinds but none, all, boolean
  bool every_field = false;        // search every text field; `field` is empty then
  std::string text;                // term, prefix, wildcard pattern, fuzzy term: normalised;
                                   // regular expression: as written
  std::vector<std::string> terms;  // phrase
  std::vector<uint32_t>
      offsets;         // phrase: position of each term relative to the first; stop words leave gaps
  uint32_t slop = 0;   // phrase
  uint32_t edits = 0;  // fuzzy: 0..2
  std::shared_ptr<const RegexpAutomaton> regexp;  // compiled expression; nullptr: not compiled yet
  std::vector<Clause> clauses;                    // boolean
};

// A copy of a leaf without its boost, field and clauses.
Query LeafOf(const Query& query);

// The tree as text in Lucene's style, for --explain and messages: (+body:a body:"b c"~2^2).
std::string ToString(const Query& query);

}  // namespace pmdex
