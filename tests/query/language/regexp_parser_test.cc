#include "query/language/regexp_parser.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace regexp_parser_test {

// The problem as "OFFSET: WHAT"; empty if there is none.
std::string ProblemOf(std::string_view text) {
  RegexpProblem problem;
  if (ParseRegexp(text, problem).has_value()) return "";
  return std::to_string(problem.offset) + ": " + problem.what;
}

RegexpTree Parse(std::string_view text) {
  RegexpProblem problem;
  auto tree = ParseRegexp(text, problem);
  EXPECT_TRUE(tree.has_value()) << text << ": " << problem.what;
  return tree.value_or(RegexpTree());
}

TEST(RegexpParser, BindsRepetitionsCloserThanConcatenationsThanIntersectionsThanUnions) {
  const RegexpTree tree = Parse("ab*&c|d");
  ASSERT_EQ(tree.kind, RegexpKind::kUnion);
  ASSERT_EQ(tree.parts.size(), 2u);
  ASSERT_EQ(tree.parts[0].kind, RegexpKind::kIntersection);
  const RegexpTree& ab = tree.parts[0].parts[0];
  ASSERT_EQ(ab.kind, RegexpKind::kConcatenation);
  EXPECT_EQ(ab.parts[1].kind, RegexpKind::kRepetition);
  EXPECT_EQ(ab.parts[1].most, RegexpTree::kUnlimited);
}

TEST(RegexpParser, JoinsTheRangesOfAClass) {
  const std::vector<CharacterRange> expected = {{'0', '9'}, {'a', 'f'}};
  EXPECT_EQ(Parse("[c-fa-b\\da]").ranges, expected);
  EXPECT_EQ(Parse("[^a]").ranges,
            (std::vector<CharacterRange>{{0, 'a' - 1}, {'b', kAnyCharacter.last}}));
  EXPECT_EQ(Parse("[]]").ranges, (std::vector<CharacterRange>{{']', ']'}}));
  EXPECT_EQ(Parse("\\W").ranges.size(), 5u);
}

TEST(RegexpParser, TakesAnOperatorWithNothingToWorkOnForItself) {
  for (const char* text : {"*", "?a", "+", "|a", "{2}", "&", ")", "}", "]", "^a$", "-", "a-c"}) {
    EXPECT_EQ(ProblemOf(text), "") << text;
  }
  EXPECT_EQ(Parse("*").ranges, (std::vector<CharacterRange>{{'*', '*'}}));
}

TEST(RegexpParser, PointsAtWhatIsWrong) {
  const struct {
    std::string_view text;
    std::string_view problem;
  } cases[] = {
      {"a)", "1: the regular expression has a ')' too many"},
      {"b(a", "1: the parenthesis is never closed"},
      {"[", "1: something must follow here"},
      {"x[a", "1: the bracket is never closed"},
      {"[b-a]", "1: the range ends before it begins"},
      {"[a-]", "1: the range ends before it begins"},
      {"a|", "2: something must follow here"},
      {"a&", "2: something must follow here"},
      {"~", "1: something must follow here"},
      {"a\\", "1: nothing follows the backslash"},
      {"a\\n", "1: the regular expression has a backslash before a letter that means nothing"},
      {"[\\q]", "1: the regular expression has a backslash before a letter that means nothing"},
      {"a{", "2: a number must stand here"},
      {"a{,3}", "2: a number must stand here"},
      {"a{2", "1: {n}, {n,} or {n,m} must stand here"},
      {"a{2;3}", "1: {n}, {n,} or {n,m} must stand here"},
      {"a{99999999999}", "2: the number is too large"},
      {"x\"a", "1: the quotation mark in the regular expression is never closed"},
      {"<name>",
       "0: an interval of numbers like <1-10> must stand here (escape < with a backslash)"},
      {"<1-2", "0: an interval of numbers like <1-10> must stand here"},
      {"<1>", "0: an interval of numbers like <1-10> must stand here"},
      {"<1-99999999999>", "3: the number is too large"},
  };
  for (const auto& c : cases) EXPECT_EQ(ProblemOf(c.text), c.problem) << c.text;
}

TEST(RegexpParser, RefusesWhatIsNestedTooDeeplyOrTooLong) {
  const std::string deep(kMaxRegexpDepth, '(');
  EXPECT_EQ(ProblemOf(deep + "a" + std::string(kMaxRegexpDepth, ')')), "");
  const std::string too_deep = "the regular expression is nested too deeply";
  EXPECT_EQ(ProblemOf(deep + "(a)" + std::string(kMaxRegexpDepth, ')')),
            std::to_string(kMaxRegexpDepth) + ": " + too_deep);
  EXPECT_EQ(ProblemOf("a" + std::string(2000, '*')), "0: " + too_deep);
  EXPECT_EQ(ProblemOf(std::string(2000, '~') + "a"),
            std::to_string(kMaxRegexpDepth) + ": " + too_deep);
  EXPECT_EQ(ProblemOf(std::string(kMaxRegexpBytes, 'a')), "");
  EXPECT_NE(ProblemOf(std::string(kMaxRegexpBytes + 1, 'a')), "");
}

}  // namespace regexp_parser_test
}  // namespace pmdex
