// Text to normalised words, in portable C++: the tokenizer every CPU has and vector ones must
// equal.
//
// Words of ASCII only, nearly all of most texts, are cut and folded eight bytes at a time. A word
// that a byte >= 0x80 takes part in, or longer than kMaxTokenBytes, goes through its scanner from
// its begin on (word_scanner.h: a border depends on nothing before it), so one accent costs one
// slow word. Nothing grows with the text: a longer word is folded in clusters (a character and the
// marks after it), and a cluster above kMaxClusterBytes is cut at a character border, which ends
// reordering and composition.
//
// Immutable but for scratch memory: one a thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/analysis/token_batch.h"
#include "engine/analysis/unicode.h"
#include "engine/analysis/word_scanner.h"

namespace pmdex {

// Whether ASCII has its fast path; kReference is there to test it against.
enum class TokenizerPath { kFast, kReference };

// What the fast path must know of a scanner.
struct StandardRules {
  using Scanner = WordScanner;
  static constexpr bool kUnderscoreInWord = true;
  static constexpr bool kMidPunctuation = true;  // "can't", "3.14", "1,000"
};
struct LogRules {
  using Scanner = AlphanumericScanner;
  static constexpr bool kUnderscoreInWord = false;
  static constexpr bool kMidPunctuation = false;
};

template <typename Rules>
class WordTokenizer {
 public:
  static constexpr size_t kMaxClusterBytes = 4096;

  explicit WordTokenizer(TokenizerPath path = TokenizerPath::kFast) : path_(path) {}

  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* AsciiWord(const char* p);
  const char* ScannedWord(const char* p);
  const char* LongWord(const char* p);
  void FoldCluster(const char* begin, const char* end, PieceWriter& pieces);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  TokenizerPath path_;
  const char* text_ = nullptr;
  const char* end_ = nullptr;
  TokenBatch batch_;
  CharTable table_;
  CaseFolder folder_;
};

extern template class WordTokenizer<StandardRules>;
extern template class WordTokenizer<LogRules>;

// Splits at White_Space; the rest stays as it is (control characters too), but
// for invalid bytes, each maximal subpart of which becomes U+FFFD.
class WhitespaceTokenizer {
 public:
  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* Word(const char* p);
  void CommitPiece(const char* begin, const char* end);
  const char* RepairedPiece(const char* begin, const char* p);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  const char* text_ = nullptr;
  const char* end_ = nullptr;
  TokenBatch batch_;
  CharTable table_;
};

}  // namespace pmdex
