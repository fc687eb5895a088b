// The query tree: what a query means, before any index is looked at. Made by the parser, bound to a
// snapshot by the planner. A value; immutable once built.
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
  kPrefix,    // constant score 1 a field
  kWildcard,  // constant score 1 a field; `*` any run, `?` one character (code point), `\` escapes
  kFuzzy,     // terms within `edits` (Damerau-Levenshtein over code points), scored like terms
  kRegexp,    // constant score 1 a field; whole terms that a regular expression matches
  kBoolean,
};

enum class Occur { kShould, kMust, kMustNot };

struct Query;
class RegexpAutomaton;

struct Clause {
  Occur occur = Occur::kShould;
  std::unique_ptr<Query> query;
};

// A word over several named fields is a boolean of one should-clause a field: matches in any,
// scores add. A word without a field means the same over every text field of the index, however
// many these are: it stays one node, and the planner finds the fields that have it.
struct Query {
  QueryKind kind = QueryKind::kNone;
  float boost = 1.0f;
  std::string field;               // all kinds but none, all, boolean
  bool every_field = false;        // in place of `field`: every text field
  std::string text;                // term, prefix, wildcard pattern, fuzzy term; normalised.
                                   // Regular expression, as it was written
  std::vector<std::string> terms;  // phrase
  std::vector<uint32_t>
      offsets;         // phrase: position of each term relative to the first; gaps for stop words
  uint32_t slop = 0;   // phrase
  uint32_t edits = 0;  // fuzzy: 0..2
  std::shared_ptr<const RegexpAutomaton> regexp;  // of the expression; nullptr: not compiled yet
  std::vector<Clause> clauses;                    // boolean
};

// What a leaf asks for: a copy without boost, field and clauses.
Query LeafOf(const Query& query);

// Lucene-like text of the tree, for --explain and messages: (+body:a body:"b c"~2^2).
std::string ToString(const Query& query);

}  // namespace pmdex
