// Text to normalised words, by the fastest path that this CPU has or by the one that is asked for.
//
// Words of ASCII only, nearly all of most texts, are cut and folded by a vector kernel
// (word_kernel.h), or else eight bytes at a time in portable C++. A word that a byte >= 0x80 takes
// part in, or longer than kMaxTokenBytes, goes through its scanner from its begin on
// (word_scanner.h: a border depends on nothing before it), so one accent costs one slow word.
// Nothing grows with the text: a longer word is folded in clusters (a character and the marks after
// it), and a cluster above kMaxClusterBytes is cut at a character border, which ends reordering and
// composition.
//
// Immutable but for scratch memory: one a thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/analysis/ascii_rules.h"
#include "engine/analysis/token_batch.h"
#include "engine/analysis/unicode.h"
#include "engine/analysis/word_kernel.h"
#include "engine/analysis/word_scanner.h"

namespace pmdex {

// A scanner, and the paths for ASCII that equal it.
struct StandardRules {
  using Scanner = WordScanner;
  using Ascii = StandardAscii;
  static WordKernel KernelOf(const WordKernels& kernels) { return kernels.standard; }
};
struct LogRules {
  using Scanner = AlphanumericScanner;
  using Ascii = LogAscii;
  static WordKernel KernelOf(const WordKernels& kernels) { return kernels.log; }
};

template <typename Rules>
class WordTokenizer {
 public:
  static constexpr size_t kMaxClusterBytes = 4096;

  // Requires: this CPU can take the path.
  explicit WordTokenizer(TokenizerPath path = BestTokenizerPath());

  TokenizerPath path() const { return path_; }

  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* OneByOne(const char* p);
  const char* AsciiWord(const char* p);
  const char* ScannedWord(const char* p);
  const char* LongWord(const char* p);
  void FoldCluster(const char* begin, const char* end, PieceWriter& pieces);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  TokenizerPath path_;
  WordKernel kernel_;
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
  // Requires: this CPU can take the path.
  explicit WhitespaceTokenizer(TokenizerPath path = BestTokenizerPath());

  TokenizerPath path() const { return path_; }

  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* Word(const char* p);
  void CommitPiece(const char* begin, const char* end);
  const char* RepairedPiece(const char* begin, const char* p);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  TokenizerPath path_;
  WordKernel kernel_;
  const char* text_ = nullptr;
  const char* end_ = nullptr;
  TokenBatch batch_;
  CharTable table_;
};

}  // namespace pmdex
