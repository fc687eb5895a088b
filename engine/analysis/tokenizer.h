// Cuts text into normalised words, with the vector kernels of a SimdLevel.
//
// A vector kernel (word_kernel.h) cuts and folds words of ASCII only, which most words are; at
// kScalar portable C++ does so eight bytes at a time. A word that contains a byte >= 0x80, or is
// longer than kMaxTokenBytes, goes through its scanner from its begin on (word_scanner.h). A word
// border depends on nothing before it, so one accent costs one slow word.
//
// Memory does not grow with the text. A longer word is folded in clusters (a character and the
// marks after it). A cluster above kMaxClusterBytes is cut at a character border; marks are neither
// reordered nor composed across that cut.
//
// A tokenizer owns scratch memory: each thread needs a tokenizer of its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/analysis/ascii_rules.h"
#include "engine/analysis/token.h"
#include "engine/analysis/token_batch.h"
#include "engine/analysis/unicode.h"
#include "engine/analysis/word_kernel.h"
#include "engine/analysis/word_scanner.h"
#include "pmem/cpu_features.h"

namespace pmdex {

// A scanner, and the rules for ASCII that give the same words.
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

// Selects the tokenizer that sends every word through its scanner. The others must equal it.
struct ScannerOnly {};

template <typename Rules>
class WordTokenizer {
 public:
  static constexpr size_t kMaxClusterBytes = 4096;

  // Requires IsUsable(level).
  explicit WordTokenizer(SimdLevel level = BestSimdLevel());
  explicit WordTokenizer(ScannerOnly);

  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* OneByOne(const char* p);
  const char* AsciiWord(const char* p);
  const char* ScannedWord(const char* p);
  const char* LongWord(const char* p);
  void FoldCluster(const char* begin, const char* end, PieceWriter& pieces);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  bool scanner_only_ = false;
  WordKernel kernel_ = nullptr;
  const char* text_ = nullptr;
  const char* end_ = nullptr;
  TokenBatch batch_;
  CharTable table_;
  CaseFolder folder_;
};

extern template class WordTokenizer<StandardRules>;
extern template class WordTokenizer<LogRules>;

// Splits at White_Space. Everything else, control characters included, stays as it is, but each
// maximal subpart of invalid bytes becomes U+FFFD.
class WhitespaceTokenizer {
 public:
  // Requires IsUsable(level).
  explicit WhitespaceTokenizer(SimdLevel level = BestSimdLevel());

  // As Analyzer::Analyze.
  uint32_t Tokenize(std::string_view text, uint32_t first_position, TokenSink& sink);

 private:
  const char* Word(const char* p);
  void CommitPiece(const char* begin, const char* end);
  const char* RepairedPiece(const char* begin, const char* p);
  uint32_t Offset(const char* p) const { return static_cast<uint32_t>(p - text_); }

  WordKernel kernel_;
  const char* text_ = nullptr;
  const char* end_ = nullptr;
  TokenBatch batch_;
  CharTable table_;
};

}  // namespace pmdex
