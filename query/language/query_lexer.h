// Query text to tokens, by the rules of Lucene's classic grammar: the longest token wins, `+`, `-`
// and `!` with white space behind them are ordinary words, and a word may hold `+` and `-` but not
// begin with them. A regular expression stands between two slashes, wherever the first one is: a
// word ends before it, and one that belongs to a word has a backslash before it.
//
// Internal to the parser. The text must outlive the lexer. Belongs to one thread.
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
  kBareOperator,  // `+`, `-` or `!` before white space: a word
  kLeftParen,
  kRightParen,
  kColon,
  kBoost,   // ^2.5
  kTilde,   // ~, ~1
  kQuoted,  // "..."
  kWord,
  kRegexp,  // /.../
};

struct QueryToken {
  QueryTokenKind kind = QueryTokenKind::kEnd;
  size_t begin = 0;           // bytes [begin, end) of the query
  size_t end = 0;             //
  std::string_view text;      // word, quoted, regular expression: what is written, escapes
                              // included, quotes and slashes not; tilde: what follows it; boost:
                              // the number
  float boost = 1.0f;         // boost
  size_t wildcards = 0;       // word: `*` and `?` that are not escaped
  bool ends_in_star = false;  // word: the last character is such a `*`
};

class QueryLexer {
 public:
  explicit QueryLexer(std::string_view text) : text_(text) {}

  // The next token; kEnd again and again at the end. Errors: see QueryError.
  absl::StatusOr<QueryToken> Next();

 private:
  absl::StatusOr<QueryToken> Quoted();
  absl::StatusOr<QueryToken> Boost();
  absl::StatusOr<QueryToken> Word();
  absl::StatusOr<QueryToken> Regexp();
  absl::Status PassEscape();
  QueryToken Punctuation(QueryTokenKind kind);
  QueryToken Operator(char c);
  QueryToken Tilde();
  size_t SpaceAt(size_t offset) const;  // bytes of the white space character there, 0 for none

  std::string_view text_;
  size_t offset_ = 0;
};

// kInvalidArgument: "column N: WHAT", the query on a line of its own (cut around the place when it
// is long), and a caret under the place. offset: bytes into the query.
absl::Status QueryError(std::string_view query, size_t offset, std::string_view what);

}  // namespace pmdex
