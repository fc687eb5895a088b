// Splits a query into tokens by the rules of Lucene's classic grammar. The longest token wins. `+`,
// `-` and `!` followed by white space are ordinary words. A word may contain `+` and `-` but not
// begin with them. A slash ends a word and begins a regular expression, which the next slash ends;
// inside a word a slash needs a backslash before it.
//
// Internal to the parser. The text must outlive the lexer and its tokens. For one thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

enum class QueryTokenKind {
  kEnd,
  kAnd,
  kOr,
  kNot,
  kPlus,
  kMinus,
  kBareOperator,  // `+`, `-` or `!` before white space; the parser treats it as a word
  kLeftParen,
  kRightParen,
  kColon,
  kBoost,   // ^2.5
  kTilde,   // ~, ~1
  kQuoted,  // "..."
  kWord,
  kRegexp,      // /.../
  kRange,       // [a TO b], {a TO b}
  kComparison,  // >a, >=a, <a, <=a; only NextValue gives it
};

struct QueryToken {
  QueryTokenKind kind = QueryTokenKind::kEnd;
  size_t begin = 0;       // bytes [begin, end) of the query
  size_t end = 0;         //
  std::string_view text;  // word, quoted, regular expression: as written, with escapes but
                          // without quotes and slashes; tilde: what follows it; boost: the
                          // number
  float boost = 1.0f;     // boost
  size_t wildcards = 0;   // word: number of unescaped `*` and `?`
  std::string_view low;   // range, comparison: the bound as written, with escapes and quotes;
  std::string_view high;  // range; the `text` of a comparison is its operator
  bool low_inclusive = false;
  bool high_inclusive = false;
};

class QueryLexer {
 public:
  explicit QueryLexer(std::string_view text) : text_(text) {}

  // The next token. At the end of the text, every call returns kEnd. Errors: see QueryError.
  absl::StatusOr<QueryToken> Next();
  // The same behind the colon of a field, where a number may begin with a sign, as in `size:-5`,
  // and where comparisons are tokens.
  absl::StatusOr<QueryToken> NextValue();
  // True if the next token is a colon.
  bool IsBeforeColon();

 private:
  absl::StatusOr<QueryToken> Quoted();
  absl::StatusOr<QueryToken> Boost();
  absl::StatusOr<QueryToken> Word();
  absl::StatusOr<QueryToken> Regexp();
  absl::StatusOr<QueryToken> Range();
  absl::StatusOr<QueryToken> Comparison();
  absl::StatusOr<std::string_view> Bound(std::string_view ends);
  absl::Status PassEscape();
  void PassSpace();
  QueryToken Punctuation(QueryTokenKind kind);
  QueryToken Operator(char c);
  QueryToken Tilde();
  size_t SpaceAt(size_t offset) const;  // size of the white space character there; 0: none

  std::string_view text_;
  size_t offset_ = 0;
};

// An error about one place of the query. kInvalidArgument with three lines: "column N: WHAT", the
// query (only the part around the place if it is long), and a caret under the place. offset: of the
// place, in bytes.
absl::Status QueryError(std::string_view query, size_t offset, std::string_view what);

}  // namespace pmdex
