#include "tools/library/user_analyzer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pmdex {
namespace user_analyzer_test {

// Returns the same tokens for every text.
class FixedTokenizer final : public Tokenizer {
 public:
  explicit FixedTokenizer(std::vector<TextToken> tokens) : tokens_(std::move(tokens)) {}
  std::vector<TextToken> Tokenize(std::string_view) override { return tokens_; }

 private:
  const std::vector<TextToken> tokens_;
};

struct SeenToken {
  std::string term;
  uint32_t position;
  uint32_t begin;
  uint32_t end;
  bool operator==(const SeenToken&) const = default;
};

class SeenTokens final : public TokenSink {
 public:
  void Accept(std::span<const Token> tokens) override {
    EXPECT_FALSE(tokens.empty());
    for (const Token& token : tokens) {
      all.push_back({std::string(token.term), token.position, token.begin, token.end});
    }
  }
  std::vector<SeenToken> all;
};

uint32_t Analyze(std::vector<TextToken> tokens, SeenTokens& seen, uint32_t first_position = 0) {
  const auto analyzer = NewUserAnalyzer(std::make_unique<FixedTokenizer>(std::move(tokens)));
  EXPECT_EQ(analyzer->kind(), AnalyzerKind::kCustom);
  return analyzer->Analyze("0123456789", first_position, seen);
}

TEST(UserAnalyzer, NumbersTheWordsAndThoseLeftOut) {
  SeenTokens seen;
  EXPECT_EQ(Analyze({{"a", 0, 1}, {"b", 2, 3, 2}, {"c", 4, 5}}, seen, 100), 105u);
  EXPECT_EQ(seen.all,
            (std::vector<SeenToken>{{"a", 100, 0, 1}, {"b", 103, 2, 3}, {"c", 104, 4, 5}}));
}

TEST(UserAnalyzer, KeepsOffsetsInsideTheText) {
  SeenTokens seen;
  Analyze({{"a", 7, 3}, {"b", 5, 1000}, {"c", size_t{1} << 40, size_t{1} << 41}}, seen);
  EXPECT_EQ(seen.all, (std::vector<SeenToken>{{"a", 0, 3, 3}, {"b", 1, 5, 10}, {"c", 2, 10, 10}}));
}

TEST(UserAnalyzer, DropsEmptyTermsAndCutsLongOnes) {
  SeenTokens seen;
  std::string long_term(254, 'x');
  Analyze({{""}, {long_term + "\xc3\xa9"}, {std::string(300, 'y')}, {std::string(300, '\x80')}},
          seen);
  ASSERT_EQ(seen.all.size(), 3u);
  EXPECT_EQ(seen.all[0].term, long_term);  // the character of two bytes does not fit
  EXPECT_EQ(seen.all[0].position, 1u);
  EXPECT_EQ(seen.all[1].term, std::string(255, 'y'));
  EXPECT_EQ(seen.all[2].term, std::string(255, '\x80'));
}

TEST(UserAnalyzer, EndsATextAtTheMostPositions) {
  SeenTokens seen;
  EXPECT_EQ(Analyze({{"a"}, {"b", 0, 0, UINT32_MAX}, {"c"}}, seen), 1u);
  EXPECT_EQ(seen.all.size(), 1u);
}

TEST(UserAnalyzer, PassesOnThousandsOfTokens) {
  SeenTokens seen;
  EXPECT_EQ(Analyze(std::vector<TextToken>(5000, TextToken{"word"}), seen), 5000u);
  EXPECT_EQ(seen.all.size(), 5000u);
  EXPECT_EQ(seen.all.back().position, 4999u);
}

}  // namespace user_analyzer_test
}  // namespace pmdex
