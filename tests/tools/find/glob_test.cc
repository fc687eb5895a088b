#include "tools/find/glob.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pmdex {
namespace glob_test {

TEST(Glob, MatchesWhatFnmatchDoes) {
  std::mt19937 random(1);
  const std::string pattern_bytes = "ab*?[]\\./A";
  const std::string text_bytes = "abA./[";
  int matched = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string pattern;
    for (uint32_t n = random() % 5; n > 0; --n) {
      pattern += pattern_bytes[random() % pattern_bytes.size()];
    }
    std::string text;
    for (uint32_t n = random() % 5; n > 0; --n) text += text_bytes[random() % text_bytes.size()];
    for (const bool ignores_case : {false, true}) {
      const bool expected =
          fnmatch(pattern.c_str(), text.c_str(), ignores_case ? FNM_CASEFOLD : 0) == 0;
      ASSERT_EQ(Glob(pattern, ignores_case).Matches(text), expected) << pattern << " " << text;
      matched += expected ? 1 : 0;
    }
  }
  EXPECT_GT(matched, 10'000);
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
