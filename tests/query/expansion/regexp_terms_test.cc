#include "query/expansion/regexp_terms.h"

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/query/expansion/segment_of_terms.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace regexp_terms_test {

std::shared_ptr<const RegexpAutomaton> Compile(const std::string& text) {
  RegexpProblem problem;
  RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
  auto automaton = RegexpAutomaton::Compile(text, budget, problem);
  EXPECT_NE(automaton, nullptr) << text << ": " << problem.what;
  return automaton;
}

TEST(RegexpTerms, EqualMatchingEveryTerm) {
  const std::initializer_list<const char*> alphabets[] = {
      {"a", "b", "c"},
      {"a", "e", "i", "n", "r", "s", "t", "x"},
      {"a", "b", "\u00e9", "\u20ac", "\U0001f600"},
      {"a", "b", "\u00e9", "\xc3", "\xa9", "\xff"},  // bytes that are characters only together
  };
  const std::initializer_list<const char*> pieces = {
      "a",      "b",  "c",       "e",        "x",  "[ab]",   "[^a]", ".",   "a",      "a*",
      "[b-t]+", ".*", "(ab|ca)", "(a|b|ec)", "b?", "\u00e9", "@",    "~a*", "[aeix]", "a{2}"};
  SeededRandom random(7);
  size_t found = 0;
  for (const auto& alphabet : alphabets) {
    for (const size_t count : {size_t{1}, size_t{40}, size_t{2000}}) {
      std::set<std::string> terms;
      for (size_t i = 0; i < count; ++i) terms.insert(RandomText(random, alphabet, 7));
      const auto segment = SegmentOfTerms(terms);
      for (int round = 0; round < 60; ++round) {
        const std::string text = RandomText(random, pieces, 5);
        const auto automaton = Compile(text);
        DeadlineWatch watch(kNoDeadline);
        RegexpTerms walk(segment->dictionary(), kFieldOfTerms, *automaton, watch);
        for (const std::string& term : terms) {
          if (!automaton->Matches(term)) continue;
          ASSERT_TRUE(walk.Next()) << text << " misses " << term;
          ASSERT_EQ(walk.terms().term(), term) << text;
          ++found;
        }
        ASSERT_FALSE(walk.Next()) << text << " finds " << walk.terms().term();
        ASSERT_FALSE(walk.Next());
        ASSERT_TRUE(walk.status().ok());
      }
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(RegexpTerms, LookAtFewTerms) {
  SeededRandom random(2);
  const auto segment = SegmentOfTerms(RandomWords(random, 20000));
  const struct {
    const char* text;
    uint64_t most;
  } cases[] = {{"kernel", 3}, {"kern.*", 10}, {"[kq]e.*", 200}, {".*", 20000}, {"#", 3}};
  for (const auto& c : cases) {
    const auto automaton = Compile(c.text);
    DeadlineWatch watch(kNoDeadline);
    RegexpTerms walk(segment->dictionary(), kFieldOfTerms, *automaton, watch);
    while (walk.Next()) {
    }
    EXPECT_LE(walk.visited(), c.most) << c.text;
  }
}

TEST(RegexpTerms, EndSoonAfterTheDeadline) {
  std::set<std::string> terms;
  for (int i = 0; i < 5000; ++i) terms.insert("w" + std::to_string(i));
  const auto segment = SegmentOfTerms(terms);
  const auto automaton = Compile("w.*");
  Deadline deadline = std::chrono::steady_clock::time_point::max();
  DeadlineWatch watch(deadline);
  RegexpTerms walk(segment->dictionary(), kFieldOfTerms, *automaton, watch);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(walk.Next());
  deadline = std::chrono::steady_clock::time_point::min();
  size_t after = 0;
  while (walk.Next()) ++after;
  EXPECT_LE(after, 1100u);
  EXPECT_TRUE(watch.is_over());
  EXPECT_TRUE(walk.status().ok());
}

}  // namespace regexp_terms_test
}  // namespace pmdex
