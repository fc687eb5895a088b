#include "tools/library/user_analyzer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pmdex {
namespace {

// As pmdex.h says. Positions of a document then fit into 32 bits.
constexpr uint32_t kMostPositions = uint32_t{1} << 26;

// The length of the term, cut at the border of a character.
size_t CutLength(std::string_view term) {
  size_t length = std::min(term.size(), kMaxTokenBytes);
  if (length == term.size()) return length;
  const auto continues = [&](size_t at) { return (static_cast<uint8_t>(term[at]) & 0xc0) == 0x80; };
  size_t border = length;
  while (border > 0 && length - border < 4 && continues(border)) --border;
  return border == 0 || continues(border) ? length : border;
}

class UserAnalyzer final : public Analyzer {
 public:
  explicit UserAnalyzer(std::unique_ptr<Tokenizer> tokenizer) : tokenizer_(std::move(tokenizer)) {}

  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    const std::vector<TextToken> words = tokenizer_->Tokenize(text);
    uint32_t count = 0;  // of positions
    batch_.clear();
    size_t bytes = kReadableTermBytes;
    for (const TextToken& word : words) bytes += CutLength(word.term);
    terms_.resize(bytes);
    char* out = terms_.data();
    for (const TextToken& word : words) {
      if (word.words_left_out >= kMostPositions - count) break;
      count += word.words_left_out;
      const size_t length = CutLength(word.term);
      if (length > 0) {
        std::copy_n(word.term.data(), length, out);
        const size_t end = std::min(word.end, text.size());
        batch_.push_back({{out, length},
                          first_position + count,
                          static_cast<uint32_t>(std::min(word.begin, end)),
                          static_cast<uint32_t>(end)});
        out += length;
      }
      ++count;
    }
    for (size_t i = 0; i < batch_.size(); i += kTokensAtOnce) {
      sink.Accept(std::span(batch_).subspan(i, std::min(kTokensAtOnce, batch_.size() - i)));
    }
    return first_position + count;
  }

  std::string Normalize(std::string_view term) const override {
    return tokenizer_->Normalize(term);
  }
  AnalyzerKind kind() const override { return AnalyzerKind::kCustom; }

 private:
  static constexpr size_t kTokensAtOnce = 256;

  const std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<Token> batch_;
  std::vector<char> terms_;
};

}  // namespace

std::unique_ptr<Analyzer> NewUserAnalyzer(std::unique_ptr<Tokenizer> tokenizer) {
  return std::make_unique<UserAnalyzer>(std::move(tokenizer));
}

}  // namespace pmdex
