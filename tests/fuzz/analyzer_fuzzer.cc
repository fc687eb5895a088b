// Feeds any bytes to all four analyzers. Sizes, positions, offsets and UTF-8 of the tokens must be
// as analyzer.h describes, and every instruction set of this CPU must give the tokens of the
// reference.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/analysis/tokenizer.h"
#include "engine/analysis/unicode.h"
#include "pmem/check.h"
#include "pmem/cpu_features.h"

namespace pmdex {
namespace {

struct KeptToken {
  std::string term;
  uint32_t position;
  uint32_t begin;
  uint32_t end;

  friend bool operator==(const KeptToken&, const KeptToken&) = default;
};

class KeepTokens final : public TokenSink {
 public:
  void Accept(std::span<const Token> batch) override {
    PMDEX_CHECK(!batch.empty());
    for (const Token& token : batch) {
      tokens.push_back({std::string(token.term), token.position, token.begin, token.end});
    }
  }
  std::vector<KeptToken> tokens;
};

bool IsValidUtf8(std::string_view text) {
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const DecodedChar decoded = DecodeAnyUtf8(p, end);
    if (!decoded.valid) return false;
    p += decoded.size;
  }
  return true;
}

void CheckTokens(const std::vector<KeptToken>& tokens, uint32_t end_position, size_t text_bytes) {
  uint64_t position = 0;
  uint64_t begin = 0;
  for (const KeptToken& token : tokens) {
    PMDEX_CHECK(!token.term.empty() && token.term.size() <= kMaxTokenBytes);
    PMDEX_CHECK(token.position >= position && token.position < end_position);
    PMDEX_CHECK(token.begin >= begin && token.begin < token.end && token.end <= text_bytes);
    PMDEX_CHECK(IsValidUtf8(token.term));
    position = uint64_t{token.position} + 1;
    begin = token.begin;
  }
}

// Compares the tokens of every instruction set of this CPU with those of the first, the reference.
template <typename Tokenizer>
void ComparePaths(std::string_view text) {
  static const std::vector<std::unique_ptr<Tokenizer>> tokenizers = [] {
    std::vector<std::unique_ptr<Tokenizer>> made;
    if constexpr (std::is_constructible_v<Tokenizer, ScannerOnly>) {
      made.push_back(std::make_unique<Tokenizer>(ScannerOnly()));
    }
    for (const SimdLevel level : UsableSimdLevels()) {
      made.push_back(std::make_unique<Tokenizer>(level));
    }
    return made;
  }();
  KeepTokens expected;
  const uint32_t expected_end = tokenizers.front()->Tokenize(text, 0, expected);
  for (const auto& tokenizer : tokenizers) {
    KeepTokens kept;
    PMDEX_CHECK(tokenizer->Tokenize(text, 0, kept) == expected_end);
    PMDEX_CHECK(kept.tokens == expected.tokens);
  }
}

void Analyze(std::string_view text) {
  static const std::unique_ptr<Analyzer> analyzers[] = {
      NewAnalyzer(AnalyzerKind::kStandard), NewAnalyzer(AnalyzerKind::kWhitespace),
      NewAnalyzer(AnalyzerKind::kEnglish), NewAnalyzer(AnalyzerKind::kLog)};
  for (const auto& analyzer : analyzers) {
    KeepTokens kept;
    const uint32_t end_position = analyzer->Analyze(text, 0, kept);
    CheckTokens(kept.tokens, end_position, text.size());
    PMDEX_CHECK(IsValidUtf8(analyzer->Normalize(text)));
  }
}

}  // namespace
}  // namespace pmdex

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A buffer of exactly this size, so that AddressSanitizer sees every access outside.
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());
  pmdex::Analyze(text);
  pmdex::ComparePaths<pmdex::WordTokenizer<pmdex::StandardRules>>(text);
  pmdex::ComparePaths<pmdex::WordTokenizer<pmdex::LogRules>>(text);
  pmdex::ComparePaths<pmdex::WhitespaceTokenizer>(text);
  return 0;
}
