#include "engine/analysis/analyzer.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/stemmer.h"
#include "engine/analysis/stop_words.h"
#include "engine/analysis/tokenizer.h"
#include "engine/analysis/unicode.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr std::array<std::pair<AnalyzerKind, std::string_view>, 4> kNames = {{
    {AnalyzerKind::kStandard, "standard"},
    {AnalyzerKind::kWhitespace, "whitespace"},
    {AnalyzerKind::kEnglish, "english"},
    {AnalyzerKind::kLog, "log"},
}};

template <typename Rules, AnalyzerKind kKind>
class WordAnalyzer final : public Analyzer {
 public:
  explicit WordAnalyzer(SimdLevel level) : tokenizer_(level) {}
  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    return tokenizer_.Tokenize(text, first_position, sink);
  }
  std::string Normalize(std::string_view term) const override { return NfkcCasefold(term); }
  AnalyzerKind kind() const override { return kKind; }

 private:
  WordTokenizer<Rules> tokenizer_;
};

class WhitespaceAnalyzer final : public Analyzer {
 public:
  explicit WhitespaceAnalyzer(SimdLevel level) : tokenizer_(level) {}
  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    return tokenizer_.Tokenize(text, first_position, sink);
  }
  // Invalid bytes become what they are in a token: the two must meet.
  std::string Normalize(std::string_view term) const override {
    std::string normal;
    normal.reserve(term.size());
    const char* const end = term.data() + term.size();
    for (const char* p = term.data(); p < end;) {
      const DecodedChar decoded = DecodeUtf8(p, end);
      normal += decoded.valid ? std::string_view(p, decoded.size) : kReplacementUtf8;
      p += decoded.size;
    }
    return normal;
  }
  AnalyzerKind kind() const override { return AnalyzerKind::kWhitespace; }

 private:
  WhitespaceTokenizer tokenizer_;
};

// Takes standard's batches and passes them on without stop words and stemmed: a stem is never
// longer than its word, so a batch of stems fits where a batch of words did.
class EnglishFilter final : public TokenSink {
 public:
  void SetSink(TokenSink& sink) { sink_ = &sink; }

  void Accept(std::span<const Token> tokens) override {
    tokens_.clear();
    size_t bytes = kReadableTermBytes;  // beyond the last stem
    for (const Token& token : tokens) bytes += token.term.size();
    if (stems_.size() < bytes) stems_.resize(bytes);
    char* out = stems_.data();
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i + kAhead < tokens.size()) stemmer_.Prefetch(tokens[i + kAhead].term);
      const Token& token = tokens[i];
      if (IsEnglishStopWord(token.term)) continue;
      const std::string_view stem = stemmer_.Stem(token.term);
      std::memcpy(out, stem.data(), stem.size());
      tokens_.push_back({{out, stem.size()}, token.position, token.begin, token.end});
      out += stem.size();
    }
    if (!tokens_.empty()) sink_->Accept(tokens_);
  }

 private:
  static constexpr size_t kAhead = 6;

  TokenSink* sink_ = nullptr;
  EnglishStemmer stemmer_;
  std::vector<Token> tokens_;
  std::vector<char> stems_;
};

class EnglishAnalyzer final : public Analyzer {
 public:
  explicit EnglishAnalyzer(SimdLevel level) : tokenizer_(level) {}
  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    filter_.SetSink(sink);
    return tokenizer_.Tokenize(text, first_position, filter_);
  }
  std::string Normalize(std::string_view term) const override { return NfkcCasefold(term); }
  AnalyzerKind kind() const override { return AnalyzerKind::kEnglish; }

 private:
  WordTokenizer<StandardRules> tokenizer_;
  EnglishFilter filter_;
};

}  // namespace

std::string_view ToString(AnalyzerKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return kind == AnalyzerKind::kCustom ? "custom" : "unknown";
}

absl::StatusOr<AnalyzerKind> ParseAnalyzerKind(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  return InvalidArgument("analyzer \"" + std::string(name) +
                         "\": expected standard, whitespace, english or log");
}

std::unique_ptr<Analyzer> NewAnalyzer(AnalyzerKind kind, SimdLevel level) {
  PMDEX_CHECK(kind != AnalyzerKind::kCustom);
  switch (kind) {
    case AnalyzerKind::kStandard:
      return std::make_unique<WordAnalyzer<StandardRules, AnalyzerKind::kStandard>>(level);
    case AnalyzerKind::kWhitespace:
      return std::make_unique<WhitespaceAnalyzer>(level);
    case AnalyzerKind::kEnglish:
      return std::make_unique<EnglishAnalyzer>(level);
    case AnalyzerKind::kLog:
    case AnalyzerKind::kCustom:
      break;
  }
  return std::make_unique<WordAnalyzer<LogRules, AnalyzerKind::kLog>>(level);
}

}  // namespace pmdex
