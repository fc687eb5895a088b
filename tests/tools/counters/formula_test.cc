#include "tools/counters/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace pmdex {
namespace formula_test {

std::optional<double> Value(std::string_view formula) {
  const std::map<std::string_view, double> values = {{"a", 6}, {"b", 3}, {"zero", 0}};
  const auto result = EvaluateFormula(formula, [&](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<double>(found->second);
  });
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : std::nullopt;
}

bool IsMalformed(const std::string& formula) {
  return absl::IsInvalidArgument(
      EvaluateFormula(formula, [](std::string_view) { return std::optional<double>(1); }).status());
}

TEST(Formula, FollowsThePrecedenceOfOperators) {
  EXPECT_EQ(Value("1 + 2 * a"), 13);
  EXPECT_EQ(Value("(1 + 2) * a"), 18);
  EXPECT_EQ(Value("a - b - 1"), 2);
  EXPECT_EQ(Value("a / b / 2"), 1);
  EXPECT_EQ(Value("-a + 1"), -5);
  EXPECT_EQ(Value("1.5e2 * b"), 450);
}

TEST(Formula, KnowsItsFunctions) {
  EXPECT_EQ(Value("min(a, b)"), 3);
  EXPECT_EQ(Value("max(a, b)"), 6);
  EXPECT_EQ(Value("if(a > b, 1, 2)"), 1);
  EXPECT_EQ(Value("if(a < b, 1, 2)"), 2);
}

TEST(Formula, HasNoValueIfANameHasNone) {
  EXPECT_EQ(Value("a + unknown"), std::nullopt);
  EXPECT_EQ(Value("0 * unknown"), std::nullopt);
  EXPECT_EQ(Value("max(unknown, 1)"), std::nullopt);
  EXPECT_EQ(Value("if(unknown > 1, 1, 2)"), std::nullopt);
  EXPECT_EQ(Value("if(a > b, 1, unknown)"), 1) << "this branch is not taken";
}

TEST(Formula, HasNoValueAfterADivisionByZero) {
  EXPECT_EQ(Value("a / zero"), std::nullopt);
  EXPECT_EQ(Value("zero / zero"), std::nullopt);
  EXPECT_EQ(Value("1 + a / zero"), std::nullopt);
}

TEST(Formula, RefusesWhatIsMalformed) {
  for (const char* formula :
       {"", "a +", "(a", "a)", "a b", "min(a)", "foo(a)", "1 ? 2", "if(a,b)"}) {
    EXPECT_TRUE(IsMalformed(formula)) << formula;
  }
  EXPECT_TRUE(IsMalformed(std::string(100'000, '(')));
  EXPECT_TRUE(IsMalformed(std::string(100'000, '-')));
}

TEST(Formula, ListsItsNames) {
  EXPECT_THAT(NamesInFormula("1e6 * (a_1 + b) > max(c, a_1)"),
              testing::ElementsAre("a_1", "b", "c", "a_1"));
}

}  // namespace formula_test
}  // namespace pmdex
