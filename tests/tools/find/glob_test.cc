#include "tools/find/glob.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"

namespace pmdex {
namespace glob_test {

bool ExpectedMatch(const std::string& pattern, const std::string& text, bool ignores_case) {
  return fnmatch(pattern.c_str(), text.c_str(), ignores_case ? FNM_CASEFOLD : 0) == 0;
}

std::string RandomOf(std::mt19937& random, std::string_view bytes, size_t most) {
  std::string text;
  for (size_t n = random() % most; n > 0; --n) text += bytes[random() % bytes.size()];
  return text;
}

TEST(Glob, MatchesWhatFnmatchDoes) {
  std::mt19937 random(1);
  int matched = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string pattern = RandomOf(random, "ab*?[]\\./A", i % 2 == 0 ? 5 : 12);
    const std::string text = RandomOf(random, "abA./[", i % 2 == 0 ? 5 : 12);
    for (const bool ignores_case : {false, true}) {
      const bool expected = ExpectedMatch(pattern, text, ignores_case);
      ASSERT_EQ(Glob(pattern, ignores_case).Matches(text), expected) << pattern << " " << text;
      matched += expected ? 1 : 0;
    }
  }
  EXPECT_GT(matched, 10'000);
}

// Patterns as people write them, of parts that are often in the texts.
std::string LikelyPattern(std::mt19937& random) {
  static const std::vector<std::string> kParts = {
      "*",     "*",     "?",     "a",   "b/",    "ab",          "[ab]", "[!a]",   "[^b-]",
      "[a-c]", "[c-a]", "[--0]", "\\*", "\\",    "[[:alpha:]]", "[]a]", "[a\\]]", "[",
      "[A-Z]", "\xe9",  "]",     "B",   "aabba", "[!a-b/.]",    "[/]"};
  std::string pattern;
  for (uint32_t n = random() % 6; n > 0; --n) pattern += kParts[random() % kParts.size()];
  return pattern;
}

TEST(Glob, BracketsAreThoseOfFnmatch) {
  std::mt19937 random(2);
  int matched = 0;
  for (int i = 0; i < Rounds(200'000); ++i) {
    const std::string pattern = LikelyPattern(random);
    const std::string text = RandomOf(random, "aaabbbcBA/-*]\\\xe9", 9);
    const bool ignores_case = i % 3 == 0;
    const bool expected = ExpectedMatch(pattern, text, ignores_case);
    ASSERT_EQ(Glob(pattern, ignores_case).Matches(text), expected) << pattern << " " << text;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, Rounds(5'000));
}

TEST(Glob, FindsTheKeywordsOfARunThatMatch) {
  std::mt19937 random(3);
  size_t matched = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    std::vector<std::string> keywords;
    std::vector<uint64_t> starts = {7};  // where the run begins in the text of the column
    for (size_t n = 1 + random() % 150; n > 0; --n) {
      keywords.push_back(RandomOf(random, "aabb/c", 12));
      text += keywords.back();
      starts.push_back(7 + text.size());
    }
    const bool ignores_case = round % 5 == 0;
    const std::string pattern = round % 2 == 0
                                    ? "*" + RandomOf(random, "aabbc/", 5) + "*" +
                                          (round % 4 == 0 ? RandomOf(random, "ab*?", 4) : "")
                                    : LikelyPattern(random);
    constexpr uint64_t kFirst = 1000;
    std::array<uint64_t, 3> holds{};
    Glob(pattern, ignores_case)
        .MatchKeywords(KeywordRun(kFirst, starts, text), kFirst, keywords.size(), holds.data());
    for (size_t i = 0; i < keywords.size(); ++i) {
      const bool holds_i = (holds[i / 64] >> (i % 64) & 1) != 0;
      ASSERT_EQ(holds_i, ExpectedMatch(pattern, keywords[i], ignores_case))
          << pattern << " " << keywords[i];
      matched += holds_i ? 1 : 0;
    }
  }
  EXPECT_GT(matched, 20'000u);
}

TEST(Glob, DamagedKeywordsDoNotMatch) {
  const std::string text = "xaxbxcxd";
  for (const std::vector<uint64_t>& starts : {std::vector<uint64_t>{0, 2, 99, 6, 8},
                                              {0, 6, 2, 6, 8},
                                              {4, 2, 0, 6, 8},
                                              {0, 2, 4, 6, 99}}) {
    for (const char* pattern : {"*x*", "x*", "*[b]"}) {
      uint64_t holds = 0;
      const KeywordRun run(0, starts, text);
      Glob(pattern, false).MatchKeywords(run, 0, 4, &holds);
      for (uint64_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(run.Find(i).has_value() || (holds >> i & 1) == 0) << pattern;
      }
    }
  }
}

TEST(Glob, KnowsWhatAllMatchesBeginWith) {
  const Glob prefix("ab*", false);
  EXPECT_EQ(prefix.prefix(), "ab");
  EXPECT_TRUE(prefix.is_prefix() && !prefix.is_literal());
  const Glob literal("a\\*b", false);
  EXPECT_EQ(literal.prefix(), "a*b");
  EXPECT_TRUE(literal.is_literal() && !literal.is_prefix());
  const Glob all("*", false);
  EXPECT_EQ(all.prefix(), "");
  EXPECT_TRUE(all.is_prefix() && Glob("ab**", false).is_prefix());
  for (const char* pattern : {"a*b", "a?*", "*a*", "a[b]*"}) {
    EXPECT_FALSE(Glob(pattern, false).is_prefix()) << pattern;
    EXPECT_FALSE(Glob(pattern, false).is_literal()) << pattern;
  }
  EXPECT_EQ(Glob("a1?b", true).prefix(), "") << "either case of the letter";
  EXPECT_FALSE(Glob("a", true).is_literal());
}

TEST(Glob, NamesAreBytes) {
  EXPECT_TRUE(Glob("*.c", false).Matches("\xff\n.c"));
  EXPECT_TRUE(Glob("a?c", false)
                  .Matches("a\xff"
                           "c"));
  EXPECT_FALSE(Glob("", false).Matches("a"));
}

}  // namespace glob_test
}  // namespace pmdex
