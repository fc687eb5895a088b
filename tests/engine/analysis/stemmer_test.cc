#include "engine/analysis/stemmer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "tests/engine/analysis/random_text.h"

namespace pmdex {
namespace stemmer_test {

TEST(EnglishStemmer, GivesSnowballsStems) {
  EnglishStemmer stemmer;
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"running", "run"},
      {"ponies", "poni"},
      {"generously", "generous"},
      {"consigned", "consign"},
      {"skies", "sky"},
      {"dying", "die"},
      {"sky", "sky"},
      {"hopped", "hop"},
      {"hoped", "hope"},
      {"knightly", "knight"},
      {"a", "a"},
      {"news", "news"},
      {"caf\u00e9s", "caf\u00e9"},
      {"foxes", "fox"},
      {"internationalization", "internation"}};
  for (int round = 0; round < 2; ++round) {  // the second from memory
    for (const auto& [word, stem] : cases) EXPECT_EQ(stemmer.Stem(word), stem) << word;
  }
}

TEST(EnglishStemmer, RemembersNothingWrong) {
  std::mt19937_64 random(1);
  const std::vector<std::string> syllables = {"a",   "e",   "i",    "y",  "s", "ed",
                                              "ing", "ly",  "t",    "b",  "n", "é",
                                              "ies", "ful", "ness", "th", "0", "'s"};
  EnglishStemmer warm;
  for (int i = 0; i < 20'000; ++i) {
    const std::string word = "w" + RandomText(random, syllables, i % 50 == 0 ? 20 : 4);
    const std::string remembered(warm.Stem(word));
    if (i % 20 == 0) {
      EnglishStemmer cold;
      ASSERT_EQ(remembered, cold.Stem(word)) << word;
    }
    ASSERT_EQ(remembered, warm.Stem(word)) << word;
    ASSERT_FALSE(remembered.empty());
    ASSERT_LE(remembered.size(), word.size());
  }
}

TEST(EnglishStemmer, TellsWordsOf31BytesFromLongerOnes) {
  EnglishStemmer stemmer;
  for (size_t size = 25; size < 40; ++size) {
    const std::string stem(size, 'b');
    EXPECT_EQ(stemmer.Stem(stem + "s"), stem + "s") << "no vowel, no plural";
    EXPECT_EQ(stemmer.Stem("o" + stem + "s"), "o" + stem);
  }
}

}  // namespace stemmer_test
}  // namespace pmdex
