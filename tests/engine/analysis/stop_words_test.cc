#include "engine/analysis/stop_words.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace pmdex {
namespace stop_words_test {

constexpr char kLuceneStopWords[] =
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with";

TEST(StopWords, AreExactlyLucenes33AmongShortWords) {
  std::set<std::string> expected;
  std::istringstream words(kLuceneStopWords);
  for (std::string word; words >> word;) expected.insert(word);
  ASSERT_EQ(expected.size(), 33U);
  for (const std::string& word : expected) {
    EXPECT_TRUE(IsEnglishStopWord(word)) << word;
    EXPECT_EQ(IsEnglishStopWord(word + "s"), expected.count(word + "s") == 1) << word;
    EXPECT_FALSE(IsEnglishStopWord(word + "xyzxyz")) << word;
    EXPECT_FALSE(IsEnglishStopWord(std::string(1, '\0') + word)) << word;
  }
  std::string word;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      for (char c = 'a'; c <= 'z'; ++c) {
        for (const size_t size : {1, 2, 3}) {
          word.assign({a, b, c});
          word.resize(size);
          ASSERT_EQ(IsEnglishStopWord(word), expected.count(word) == 1) << word;
        }
      }
    }
  }
}

TEST(StopWords, EmptyAndCapitalWordsAreNone) {
  EXPECT_FALSE(IsEnglishStopWord(""));
  EXPECT_FALSE(IsEnglishStopWord("The"));
  EXPECT_FALSE(IsEnglishStopWord("théa"));
}

}  // namespace stop_words_test
}  // namespace pmdex
