// Text to tokens. Sits between the document sources and the memtable on the way in, and behind the
// query parser on the way out: both use the same analyzer, or terms would not meet.
//
//   standard    UAX #29 words without dictionaries (word_scanner.h), NFKC casefold
//   whitespace  split at Unicode white space, case kept
//   english     standard, Lucene's 33 stop words removed (their position stays empty), and then
//               Snowball English
//   log         maximal runs of letters and digits, casefolded
//
// A word longer than kMaxTokenBytes after normalisation is cut into pieces of at most that many
// bytes at character borders; each piece takes a position of its own, as in Lucene, and has the
// offsets of what it came from (two pieces share a source character that folds to several). Invalid
// UTF-8 is treated as U+FFFD, which is in no word. An Analyzer is immutable but for its scratch
// memory: one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

inline constexpr size_t kMaxTokenBytes = 255;
inline constexpr size_t kReadableTermBytes = 16;
inline constexpr size_t kMaxTextBytes = UINT32_MAX;

enum class AnalyzerKind : uint8_t { kStandard = 0, kWhitespace = 1, kEnglish = 2, kLog = 3 };

std::string_view ToString(AnalyzerKind kind);
absl::StatusOr<AnalyzerKind> ParseAnalyzerKind(std::string_view name);

struct Token {
  // Normalised, 1..kMaxTokenBytes bytes, valid until the sink returns. Whatever its size, the first
  // kReadableTermBytes bytes at term.data() may be read, so that a short term takes one load; those
  // beyond the size are of no particular value.
  std::string_view term;
  uint32_t position = 0;  // counted from 0; gaps where stop words were removed
  // Byte offsets of the word in the text given to Analyze: [begin, end). Aligned to be written as
  // one.
  alignas(8) uint32_t begin = 0;
  uint32_t end = 0;
};
static_assert(sizeof(Token) == 32, "two to a cache line");

// Receives tokens in text order. A concrete sink keeps the per-token call cheap; it is called once
// per batch of tokens, not once per token.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  // tokens: at least one, in order; the views die when Accept returns.
  virtual void Accept(std::span<const Token> tokens) = 0;
};

class Analyzer {
 public:
  virtual ~Analyzer() = default;

  // Tokenises the whole text; the first token has position first_position. Returns the position
  // after the last word, removed stop words counted (= first_position when there was none). Never
  // fails. Requires: text.size() <= kMaxTextBytes. Reads no byte outside the text.
  virtual uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) = 0;

  // What becomes of a term with wildcards or edits in a query: normalised like a token (case), but
  // neither split, stemmed nor removed.
  virtual std::string Normalize(std::string_view term) const = 0;

  virtual AnalyzerKind kind() const = 0;
};

std::unique_ptr<Analyzer> NewAnalyzer(AnalyzerKind kind);

// With a path other than this CPU's best (word_kernel.h): the tokens are the same.
enum class TokenizerPath : uint8_t;
std::unique_ptr<Analyzer> NewAnalyzer(AnalyzerKind kind, TokenizerPath path);

}  // namespace pmdex
