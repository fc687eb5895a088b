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
  kConstantScore,   // the documents of clauses[0]; score 1
  kDisjunctionMax,  // the documents of any clause, whatever its occur; the best score counts whole
  kIds,             // the documents with one of the ids in `terms`; score 1
  kExists,          // the documents with at least one token in the field; score 1
  kPhrasePrefix,    // a phrase whose last term is a prefix
  kRange,           // the documents with a value of a column in `range`; score 1
};

enum class Occur {
  kShould,
  kMust,
  kMustNot,
  kFilter,  // must match and adds nothing to the score
};

// True if a document that does not match such a clause does not match the query.
constexpr bool IsRequired(Occur occur) {
  return occur == Occur::kMust || occur == Occur::kFilter;
}
// True if a match of such a clause adds to the score.
constexpr bool IsScored(Occur occur) {
  return occur == Occur::kMust || occur == Occur::kShould;
}

struct Query;
class RegexpAutomaton;
struct ColumnRange;

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
  std::string field;               // all kinds but none, all, ids and those with clauses
  bool every_field = false;        // search every text field; `field` is empty then
  std::string text;                // term, prefix, wildcard pattern, fuzzy term: normalised;
                                   // regular expression, range: as written
  std::vector<std::string> terms;  // phrase, phrase prefix; ids
  // Phrase, phrase prefix: position of each term relative to the first; stop words leave gaps.
  std::vector<uint32_t> offsets;
  uint32_t slop = 0;  // phrase, phrase prefix
  // Phrase prefix: the prefix stands for the first so many terms that begin with it, in byte order.
  // Fuzzy: the so many nearest terms count, and never more than kMaxFuzzyTerms.
  uint32_t max_expansions = 50;
  uint32_t edits = 0;          // fuzzy: 0..2
  uint32_t prefix_length = 0;  // fuzzy: the so many first characters must be equal
  // Boolean: so many should-clauses must match. 0: one of them if no clause is required, else none.
  uint32_t minimum_should_match = 0;
  // Disjunction max: the part of the scores that are not the best one which is added; 0 to 1.
  float tie_breaker = 0;
  std::shared_ptr<const RegexpAutomaton> regexp;  // compiled expression; nullptr: not compiled yet
  std::shared_ptr<const ColumnRange> range;       // range; nullptr: the field has no values
  std::vector<Clause> clauses;                    // boolean, constant score, disjunction max
};

// A copy of a leaf without its boost, field and clauses.
Query LeafOf(const Query& query);

// The tree as text in Lucene's style, for --explain and messages: (+body:a body:"b c"~2^2).
std::string ToString(const Query& query);

}  // namespace pmdex
