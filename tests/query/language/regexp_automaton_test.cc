#include "query/language/regexp_automaton.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "engine/analysis/code_points.h"
#include "query/language/regexp_nfa.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace regexp_automaton_test {

std::shared_ptr<const RegexpAutomaton> Compile(std::string_view text) {
  RegexpProblem problem;
  RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
  auto automaton = RegexpAutomaton::Compile(text, budget, problem);
  EXPECT_NE(automaton, nullptr) << text << ": " << problem.what;
  return automaton;
}

bool Matches(std::string_view regexp, std::string_view text) {
  return Compile(regexp)->Matches(text);
}

// An expression with a matcher by brute force: ends(text, at) are the ends of all matches that
// begin at `at`.
using Ends = std::set<size_t>;
struct Expression {
  std::string text;  // in parentheses where that is needed
  std::function<Ends(const std::string&, size_t)> ends;
};

Expression Letter(char c) {
  return {std::string(1, c), [c](const std::string& text, size_t at) {
            return at < text.size() && text[at] == c ? Ends{at + 1} : Ends();
          }};
}
Expression Class(const std::string& letters, bool negated) {
  return {(negated ? "[^" : "[") + letters + "]", [=](const std::string& text, size_t at) {
            const bool has = at < text.size() && letters.find(text[at]) != std::string::npos;
            return at < text.size() && has != negated ? Ends{at + 1} : Ends();
          }};
}
Expression Then(const Expression& a, const Expression& b) {
  return {a.text + b.text, [=](const std::string& text, size_t at) {
            Ends all;
            for (const size_t end : a.ends(text, at)) all.merge(b.ends(text, end));
            return all;
          }};
}
Expression Or(const Expression& a, const Expression& b) {
  return {"(" + a.text + "|" + b.text + ")", [=](const std::string& text, size_t at) {
            Ends all = a.ends(text, at);
            all.merge(b.ends(text, at));
            return all;
          }};
}
Expression And(const Expression& a, const Expression& b) {
  return {"(" + a.text + "&" + b.text + ")", [=](const std::string& text, size_t at) {
            Ends both;
            const Ends others = b.ends(text, at);
            for (const size_t end : a.ends(text, at)) {
              if (others.contains(end)) both.insert(end);
            }
            return both;
          }};
}
Expression Not(const Expression& a) {
  return {"(~(" + a.text + "))", [=](const std::string& text, size_t at) {
            const Ends matches = a.ends(text, at);
            Ends all;
            for (size_t end = at; end <= text.size(); ++end) {
              if (!matches.contains(end)) all.insert(end);
            }
            return all;
          }};
}
Expression Times(const Expression& a, const std::string& how, size_t least, size_t most) {
  return {"(" + a.text + ")" + how, [=](const std::string& text, size_t at) {
            Ends now = {at};
            Ends all;
            if (least == 0) all = now;
            for (size_t i = 1; i <= std::min(most, text.size() + least + 1); ++i) {
              Ends next;
              for (const size_t end : now) next.merge(a.ends(text, end));
              now = next;
              if (i >= least) all.insert(now.begin(), now.end());
            }
            return all;
          }};
}

Expression RandomExpression(SeededRandom& random, int depth) {
  const size_t kind = depth == 0 ? random.Below(3) : random.Below(10);
  const auto sub = [&] { return RandomExpression(random, depth - 1); };
  switch (kind) {
    case 0:
    case 1:
      return Letter(static_cast<char>('a' + random.Below(3)));
    case 2:
      return Class(random.OneIn(2) ? "ab" : "c", random.OneIn(2));
    case 3:
    case 4:
      return Then(sub(), sub());
    case 5:
      return Or(sub(), sub());
    case 6:
      return Times(sub(), "*", 0, 100);
    case 7:
      return random.OneIn(2) ? Times(sub(), "{1,2}", 1, 2) : Times(sub(), "+", 1, 100);
    case 8:
      return And(sub(), sub());
    default:
      return random.OneIn(2) ? Not(sub()) : Times(sub(), "?", 0, 1);
  }
}

TEST(RegexpAutomaton, EqualsTryingEverything) {
  std::vector<std::string> texts = {""};
  for (size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i) {
    for (const char c : {'a', 'b', 'c', 'd'}) texts.push_back(texts[i] + c);
  }
  SeededRandom random(16);
  size_t matches = 0;
  size_t required = 0;
  for (int round = 0; round < 300; ++round) {
    const Expression expression = RandomExpression(random, 3);
    RegexpProblem problem;
    RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
    const auto automaton = RegexpAutomaton::Compile(expression.text, budget, problem);
    ASSERT_NE(automaton, nullptr) << expression.text << ": " << problem.what;
    for (const std::string& text : texts) {
      const bool expected = expression.ends(text, 0).contains(text.size());
      ASSERT_EQ(automaton->Matches(text), expected) << expression.text << " on '" << text << "'";
      if (!expected) continue;
      ++matches;
      required += automaton->required_characters().size();
      for (const uint32_t character : automaton->required_characters()) {
        ASSERT_NE(text.find(static_cast<char>(character)), std::string::npos) << expression.text;
      }
      ASSERT_TRUE(text.starts_with(automaton->LiteralPrefix())) << expression.text;
    }
  }
  EXPECT_GT(matches, 1000u);
  EXPECT_GT(required, 300u);
}

TEST(RegexpAutomaton, MatchesWholeStringsOfCharacters) {
  EXPECT_TRUE(Matches("te.t", "test"));
  EXPECT_TRUE(Matches("te.t", "te\u00e9t"));
  EXPECT_TRUE(Matches("te.t", "te\U0001f600t"));
  EXPECT_TRUE(Matches("te.t", "te\xfft"));  // a stray byte is a character
  EXPECT_FALSE(Matches("te.t", "tests"));
  EXPECT_FALSE(Matches("te.t", "atest"));
  EXPECT_TRUE(Matches("[\u00e0-\u00ff]+", "\u00e9\u00e8"));
  EXPECT_FALSE(Matches("[^\u00e9]", "\u00e9"));
  EXPECT_TRUE(Matches("\\d\\w\\s\\.\\/\\\\", "1_ ./\\"));
  EXPECT_TRUE(Matches("\\D\\W\\S", "a-b"));
  EXPECT_TRUE(Matches("\"a.b*\"", "a.b*"));
  EXPECT_TRUE(Matches("a@b", "axyzb"));
  EXPECT_TRUE(Matches("a@b", "ab"));
  EXPECT_TRUE(Matches("()", ""));
  EXPECT_TRUE(Matches("", ""));
  EXPECT_FALSE(Matches("#", ""));
  EXPECT_FALSE(Matches("a#b", "ab"));
  EXPECT_TRUE(Matches("a{0}b", "b"));
  EXPECT_TRUE(Matches("(ab){2,}", "ababab"));
  EXPECT_FALSE(Matches("(ab){2,}", "ab"));
  EXPECT_FALSE(Matches("a{3,2}", "aaa"));
}

TEST(RegexpAutomaton, MatchesIntervalsOfNumbers) {
  const struct {
    int least, most, digits;
  } intervals[] = {{0, 0, 0}, {7, 7, 0}, {3, 17, 0}, {17, 123, 0}, {5, 299, 3}, {10, 20, 2}};
  for (const auto& interval : intervals) {
    std::string text = "<";
    for (const int end : {interval.least, interval.most}) {
      std::string number = std::to_string(end);
      const auto digits = static_cast<size_t>(interval.digits);
      if (number.size() < digits) number.insert(0, digits - number.size(), '0');
      text += number + (text.size() == 1 ? "-" : ">");
    }
    if (text.size() % 2 == 1 && interval.digits == 0) {  // both have as many digits: these count
      const size_t digits = std::to_string(interval.least).size();
      if (digits == std::to_string(interval.most).size()) text.insert(1, "0");
    }
    const auto automaton = Compile(text);
    for (int number = 0; number < 400; ++number) {
      for (size_t zeros = 0; zeros < 3; ++zeros) {
        const std::string digits = std::string(zeros, '0') + std::to_string(number);
        const bool inside = number >= interval.least && number <= interval.most;
        const bool fits =
            interval.digits == 0 || digits.size() == static_cast<size_t>(interval.digits);
        ASSERT_EQ(automaton->Matches(digits), inside && fits) << text << " on " << digits;
      }
    }
    EXPECT_FALSE(automaton->Matches(""));
  }
  EXPECT_TRUE(Matches("v<1-20>", "v13"));
  EXPECT_TRUE(Matches("<20-7>", "013"));
}

TEST(RegexpAutomaton, SaysWhichCharactersGoOn) {
  const auto automaton = Compile("[b-dx]a|[^a]z");
  const auto first = [&](uint32_t from) { return automaton->FirstFrom(automaton->start(), from); };
  EXPECT_EQ(first(0), 0u);
  EXPECT_EQ(first('a'), uint32_t{'b'});
  EXPECT_TRUE(automaton->TakesStrayBytes(automaton->start()));
  const auto after = automaton->Step(automaton->start(), 'c');
  EXPECT_EQ(automaton->FirstFrom(after, 0), uint32_t{'a'});
  EXPECT_EQ(automaton->FirstFrom(after, 'b'), uint32_t{'z'});
  EXPECT_EQ(automaton->FirstFrom(after, 'z' + 1), std::nullopt);
  EXPECT_FALSE(automaton->TakesStrayBytes(after));
  EXPECT_EQ(automaton->Step(after, 'b'), RegexpAutomaton::kDead);
  // A prefix that cannot lead to a match is dead at once.
  EXPECT_EQ(Compile("ab#|c")->FirstFrom(0, 0), uint32_t{'c'});
}

TEST(RegexpAutomaton, RefusesWhatNeedsTooManyStates) {
  for (const char* text :
       {"(a|b)*a(a|b){20}", "((a{1000}){1000}){1000}", "(((a{0}){9999}){9999}){9999}",
        "~((a|b)*a(a|b){20})", "(.*a.{9})&(.*b.{9})&(.*c.{9})", "a{2147483647}", "(){0,999999999}",
        "(((.*a){9}){9}){9}"}) {
    RegexpProblem problem;
    RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
    EXPECT_EQ(RegexpAutomaton::Compile(text, budget, problem), nullptr) << text;
    EXPECT_EQ(problem.what, "the regular expressions of the query need too many states");
  }
  EXPECT_TRUE(Matches("(a|b)*a(a|b){8}", "bbaabababab"));
  EXPECT_TRUE(Matches("[a-z]{1,200}", std::string(200, 'q')));
}

TEST(RegexpBudget, IsSharedByTheExpressionsOfAQuery) {
  RegexpProblem problem;
  RegexpBudget budget(100'000);
  int compiled = 0;
  while (compiled < 1000 && RegexpAutomaton::Compile("(a|b)*a(a|b){5}", budget, problem)) {
    ++compiled;
  }
  EXPECT_GT(compiled, 1);
  EXPECT_LT(compiled, 1000);
  EXPECT_TRUE(budget.is_spent());
  EXPECT_TRUE(BuildRegexpDfa(RegexpTree(), budget).states.empty());
}

}  // namespace regexp_automaton_test
}  // namespace pmdex
