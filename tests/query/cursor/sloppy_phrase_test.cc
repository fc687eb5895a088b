#include "query/cursor/sloppy_phrase.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace sloppy_phrase_test {

// A phrase and a document, whose words are single letters.
struct Letters {
  std::vector<std::string> terms;
  std::vector<uint32_t> offsets;
  std::vector<std::vector<uint32_t>> positions;

  Letters(const std::string& phrase, const std::string& document) {
    for (uint32_t i = 0; i < phrase.size(); ++i) {
      if (phrase[i] == '_') continue;
      terms.emplace_back(1, phrase[i]);
      offsets.push_back(i);
      positions.emplace_back();
      for (uint32_t at = 0; at < document.size(); ++at) {
        if (document[at] == phrase[i]) positions.back().push_back(at);
      }
    }
  }
};

float Frequency(const std::string& phrase, const std::string& document, uint32_t slop) {
  const Letters letters(phrase, document);
  return SloppyPhraseMatcher(letters.terms, letters.offsets, slop).Frequency(letters.positions);
}

TEST(SloppyPhrase, GivesTheExamplesOfLucenesDocumentation) {
  // Twice: for "a b" (distance 0) and for "b a" (distance 2).
  EXPECT_FLOAT_EQ(Frequency("ab", "xabay", 2), 1 + 1.0f / 3);
  EXPECT_NE(Frequency("abc", "abcba", 4), Frequency("cba", "abcba", 4));
  // There is one match, with the smaller of the two distances, although both b are near enough.
  EXPECT_FLOAT_EQ(Frequency("cb", "abcbafg", 2), 1);
  EXPECT_FLOAT_EQ(Frequency("gf", "abcbafg", 2), 1.0f / 3);
}

TEST(SloppyPhrase, CountsMovesFromThePhrasesOwnOffsets) {
  EXPECT_EQ(Frequency("ab", "axb", 0), 0);
  EXPECT_FLOAT_EQ(Frequency("ab", "axb", 1), 0.5f);
  EXPECT_EQ(Frequency("ab", "ba", 1), 0);
  EXPECT_FLOAT_EQ(Frequency("ab", "ba", 2), 1.0f / 3);
  EXPECT_FLOAT_EQ(Frequency("a_b", "axb", 1), 1);
}

TEST(SloppyPhrase, NeedsAnOccurrenceForEachRepeatedTerm) {
  EXPECT_EQ(Frequency("aa", "a", 5), 0);
  EXPECT_FLOAT_EQ(Frequency("aa", "aa", 5), 1);
  EXPECT_FLOAT_EQ(Frequency("aa", "axa", 1), 0.5f);
  EXPECT_EQ(Frequency("aba", "ab", 9), 0);
  EXPECT_GT(Frequency("aba", "aba", 1), 0);
}

TEST(SloppyPhrase, EqualsItsDefinitionComputedTheSlowWay) {
  SeededRandom random(11);
  size_t matches = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string phrase;
    std::string document;
    for (size_t n = 2 + random.Below(3); n > 0; --n) phrase += "abc_"[random.Below(3)];
    for (size_t n = random.Below(14); n > 0; --n) document += "abcx"[random.Below(4)];
    const auto slop = static_cast<uint32_t>(random.Below(7));
    const Letters l(phrase, document);
    const double expected = ReferenceIndex::SloppyFrequency(l.terms, l.offsets, slop, l.positions);
    ASSERT_NEAR(Frequency(phrase, document, slop), expected, 1e-5)
        << phrase << "~" << slop << " in " << document;
    matches += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(matches, 1000u);
}

// Tries every choice of one occurrence per word, and returns the width of the narrowest one.
int64_t Narrowest(const Letters& l, size_t word, int64_t low, int64_t high) {
  if (word == l.terms.size()) return high - low;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (const uint32_t position : l.positions[word]) {
    const int64_t adjusted = int64_t{position} - l.offsets[word];
    best =
        std::min(best, Narrowest(l, word + 1, std::min(low, adjusted), std::max(high, adjusted)));
  }
  return best;
}

TEST(SloppyPhrase, MatchesDistinctTermsExactlyWhenSomeChoiceIsNarrowEnough) {
  SeededRandom random(12);
  const std::vector<std::string> phrases = {"ab", "ba", "abc", "cab", "bca", "a_b", "c_ab"};
  for (int round = 0; round < 5000; ++round) {
    const std::string& phrase = phrases[random.Below(phrases.size())];
    std::string document;
    for (size_t n = random.Below(12); n > 0; --n) document += "abcxy"[random.Below(5)];
    const auto slop = static_cast<uint32_t>(1 + random.Below(5));
    const Letters l(phrase, document);
    constexpr int64_t kFar = int64_t{1} << 40;
    const int64_t width = Narrowest(l, 0, kFar, -kFar);
    EXPECT_EQ(Frequency(phrase, document, slop) > 0, width <= int64_t{slop})
        << phrase << "~" << slop << " in " << document;
  }
}

}  // namespace sloppy_phrase_test
}  // namespace pmdex
