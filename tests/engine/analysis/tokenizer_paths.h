// The same text through every path that this CPU can take: the tokens must be those of the
// reference.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/tokenizer.h"
#include "tests/engine/analysis/token_collector.h"

namespace pmdex {

template <typename Tokenizer>
std::vector<OwnedToken> Tokenized(Tokenizer& tokenizer, std::string_view text) {
  TokenCollector collector;
  const uint32_t next = tokenizer.Tokenize(text, 7, collector);
  EXPECT_EQ(next, 7 + collector.tokens.size());
  return collector.tokens;
}

template <typename Tokenizer>
class EachPath {
 public:
  EachPath() {
    for (const TokenizerPath path : UsableTokenizerPaths()) {
      tokenizers_.push_back(std::make_unique<Tokenizer>(path));
    }
  }

  void ExpectEqual(std::string_view text) {
    const std::vector<OwnedToken> expected = Tokenized(*tokenizers_.front(), text);
    for (const auto& tokenizer : tokenizers_) {
      ASSERT_EQ(Tokenized(*tokenizer, text), expected)
          << ToString(tokenizer->path()) << " of " << testing::PrintToString(text);
    }
  }

 private:
  std::vector<std::unique_ptr<Tokenizer>> tokenizers_;  // the first is the reference
};

}  // namespace pmdex
