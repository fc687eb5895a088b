// The same text through a tokenizer of every level that this CPU runs: the tokens must be those of
// the reference.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/analysis/tokenizer.h"
#include "pmem/cpu_features.h"
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
    if constexpr (std::is_constructible_v<Tokenizer, ScannerOnly>) {
      Add("scanner only", std::make_unique<Tokenizer>(ScannerOnly()));
    }
    for (const SimdLevel level : UsableSimdLevels()) {
      Add(std::string(ToString(level)), std::make_unique<Tokenizer>(level));
    }
  }

  void ExpectEqual(std::string_view text) {
    const std::vector<OwnedToken> expected = Tokenized(*tokenizers_.front().second, text);
    for (const auto& [name, tokenizer] : tokenizers_) {
      ASSERT_EQ(Tokenized(*tokenizer, text), expected)
          << name << " of " << testing::PrintToString(text);
    }
  }

 private:
  void Add(std::string name, std::unique_ptr<Tokenizer> tokenizer) {
    tokenizers_.emplace_back(std::move(name), std::move(tokenizer));
  }

  // With names; the first is the reference.
  std::vector<std::pair<std::string, std::unique_ptr<Tokenizer>>> tokenizers_;
};

}  // namespace pmdex
