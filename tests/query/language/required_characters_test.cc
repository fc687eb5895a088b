#include "query/language/required_characters.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/regexp_parser.h"

namespace pmdex {
namespace required_characters_test {

// As a string, of ASCII characters.
std::string RequiredBy(const std::string& expression) {
  RegexpProblem problem;
  const auto tree = ParseRegexp(expression, problem);
  EXPECT_TRUE(tree.has_value()) << problem.what;
  std::string text;
  for (const uint32_t character : RequiredCharacters(*tree)) text += static_cast<char>(character);
  return text;
}

// regexp_automaton_test.cc tries random expressions.
TEST(RequiredCharacters, AreInEveryMatch) {
  EXPECT_EQ(RequiredBy(".*irq.*"), "iqr");
  EXPECT_EQ(RequiredBy("abba"), "ab");
  EXPECT_EQ(RequiredBy("(irq|dma)s"), "s");
  EXPECT_EQ(RequiredBy("(abc|bcd|cbe)"), "bc");
  EXPECT_EQ(RequiredBy("a?b*c{0,2}d+e{2}(fg){1,3}"), "defg");
  EXPECT_EQ(RequiredBy("[ab]c[d]"), "cd");
  EXPECT_EQ(RequiredBy("a.*&.*b"), "ab");
  EXPECT_EQ(RequiredBy("~(ab)c"), "c");
  EXPECT_EQ(RequiredBy("x<1-9>"), "x");
  EXPECT_EQ(RequiredBy(""), "");
}

}  // namespace required_characters_test
}  // namespace pmdex
