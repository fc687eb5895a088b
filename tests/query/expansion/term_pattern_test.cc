#include "query/expansion/term_pattern.h"

#include <string>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace term_pattern_test {

TEST(WildcardPattern, MatchesRunsAndSingleCharacters) {
  EXPECT_TRUE(WildcardPattern("te?t").Matches("test"));
  EXPECT_FALSE(WildcardPattern("te?t").Matches("tet"));
  EXPECT_TRUE(WildcardPattern("w*ld").Matches("wld"));
  EXPECT_TRUE(WildcardPattern("caf?").Matches("caf\u00e9"));
  EXPECT_TRUE(WildcardPattern("a\\*?").Matches("a*b"));
  EXPECT_FALSE(WildcardPattern("a\\*?").Matches("axb"));
  EXPECT_TRUE(WildcardPattern("*").Matches(""));
}

TEST(WildcardPattern, KnowsItsLiteralPrefix) {
  EXPECT_EQ(WildcardPattern("ab\\*c?d").literal_prefix(), "ab*c");
  EXPECT_EQ(WildcardPattern("*ab").literal_prefix(), "");
  EXPECT_EQ(WildcardPattern("ab\\*c?d*").RequiredCharacters(), "ab*cd");
  EXPECT_EQ(WildcardPattern("*\u00e9x\xc3?").RequiredCharacters(), "x");
}

TEST(WildcardPattern, EqualsTheReferenceOnRandomPatterns) {
  SeededRandom random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string pattern;
    std::string term;
    for (size_t n = random.Below(7); n > 0; --n) pattern += "ab*?a"[random.Below(5)];
    for (size_t n = random.Below(9); n > 0; --n) term += random.OneIn(5) ? "\u00e9" : "a";
    ASSERT_EQ(WildcardPattern(pattern).Matches(term),
              ReferenceIndex::WildcardMatches(pattern, term))
        << pattern << " " << term;
  }
}

TEST(WildcardPattern, EqualsTheReferenceOnPatternsOfLongLiterals) {
  SeededRandom random(3);
  static const char* const kPieces[] = {"a", "ab", "aab", "\u00e9", "\u00e9a", "b", "*", "?"};
  size_t matches = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string pattern;
    std::string term;
    for (size_t n = random.Below(6); n > 0; --n) pattern += kPieces[random.Below(8)];
    for (size_t n = random.Below(7); n > 0; --n) term += kPieces[random.Below(6)];
    const bool expected = ReferenceIndex::WildcardMatches(pattern, term);
    ASSERT_EQ(WildcardPattern(pattern).Matches(term), expected) << pattern << " " << term;
    matches += expected ? 1 : 0;
  }
  EXPECT_GT(matches, 500u);
}

TEST(WildcardPattern, FindsCharactersAndNotTheirBytes) {
  EXPECT_FALSE(WildcardPattern("*\xa9").Matches("\u00e9"));
  EXPECT_TRUE(WildcardPattern("*\xa9*").Matches("a\xa9z"));
  EXPECT_TRUE(WildcardPattern("*\u00e9?").Matches("\xe2\u00e9\u20ac"));
  EXPECT_TRUE(WildcardPattern("*ab\\*").Matches("abab*"));
}

TEST(WildcardPattern, TakesNoExponentialTime) {
  const std::string term(2000, 'a');
  EXPECT_FALSE(WildcardPattern("*a*a*a*a*a*a*a*a*a*a*b").Matches(term));
}

TEST(FuzzyPattern, CountsASwapAsOneEdit) {
  EXPECT_EQ(FuzzyPattern("quick", 2).Distance("qiuck"), 1u);
  EXPECT_EQ(FuzzyPattern("caf\u00e9", 1).Distance("cafe"), 1u);
  EXPECT_EQ(FuzzyPattern("ca", 2).Distance("abc"), std::nullopt);  // no part is edited twice
}

TEST(FuzzyPattern, EqualsTheFullTableOnRandomWords) {
  SeededRandom random(2);
  const auto word = [&] {
    std::string text;
    for (size_t n = random.Below(8); n > 0; --n) text += random.OneIn(6) ? "\u00e9" : "ab";
    if (random.OneIn(2) && !text.empty()) text.erase(0, text[0] == 'a' ? 1 : 0);
    return text;
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string a = word();
    const std::string b = word();
    const auto edits = static_cast<uint32_t>(random.Below(3));
    const uint32_t expected = ReferenceIndex::EditDistance(a, b);
    const std::optional<uint32_t> distance = FuzzyPattern(a, edits).Distance(b);
    ASSERT_EQ(distance.has_value(), expected <= edits) << a << " " << b;
    if (distance.has_value()) {
      ASSERT_EQ(*distance, expected);
    }
  }
}

TEST(FuzzyPattern, MeasuresSimilarityByTheShorterLength) {
  EXPECT_EQ(FuzzyPattern("word", 2).Similarity("word", 0), 1.0f);
  EXPECT_EQ(FuzzyPattern("word", 2).Similarity("words", 1), 0.75f);
  EXPECT_EQ(FuzzyPattern("word", 2).Similarity("wo\u00e9", 2), 1.0f - 2.0f / 3.0f);
  EXPECT_EQ(FuzzyPattern("ab", 2).Similarity("c", 2), -1.0f);
  EXPECT_EQ(FuzzyPattern("", 2).Similarity("c", 1), 0.0f);
}

}  // namespace term_pattern_test
}  // namespace pmdex
