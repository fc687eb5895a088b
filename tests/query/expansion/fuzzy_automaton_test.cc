#include "query/expansion/fuzzy_automaton.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

#include "engine/analysis/code_points.h"
#include "query/expansion/term_pattern.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace fuzzy_automaton_test {

// A text of few different characters of one to three bytes, and a stray byte.
std::string RandomWord(SeededRandom& random, size_t max_characters) {
  static const char* const kCharacters[] = {"a", "b", "c", "\u00e9", "\u20ac", "\xc3"};
  std::string word;
  for (size_t n = random.Below(max_characters + 1); n > 0; --n) {
    word += kCharacters[random.OneIn(20) ? 5 : random.Below(5)];
  }
  return word;
}

TEST(FuzzyAutomaton, EqualsTheAlignmentOnRandomWords) {
  SeededRandom random(1);
  size_t near = 0;
  for (int round = 0; round < 100000; ++round) {
    const auto edits = static_cast<uint32_t>(random.Below(3));
    const std::string word = RandomWord(random, round % 2 == 0 ? 6 : 12);
    std::string other = RandomWord(random, 6);
    if (random.OneIn(2)) {  // near ones, also of long words
      other = word;
      for (int i = 0; i < 3 && !other.empty(); ++i) {
        const size_t at = random.Below(other.size());
        if (random.OneIn(2)) other.erase(at, random.Below(2));
        if (random.OneIn(2)) other.insert(at, RandomWord(random, 1));
        if (random.OneIn(2) && at + 1 < other.size()) std::swap(other[at], other[at + 1]);
      }
    }
    const std::optional<uint32_t> expected = FuzzyPattern(word, edits).Distance(other);
    ASSERT_EQ(FuzzyAutomaton(word, edits).DistanceOf(other), expected)
        << word << " " << other << " " << edits;
    near += expected.has_value() ? 1 : 0;
  }
  EXPECT_GT(near, 10000u);
}

TEST(FuzzyAutomaton, EqualsTheAlignmentOnAllShortWordsOfThreeLetters) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; words.back().size() < 5; ++i) {
    for (const char c : {'a', 'b', 'c'}) words.push_back(words[i] + c);
  }
  for (size_t i = 0; i < words.size(); i += 7) {
    for (uint32_t edits = 0; edits <= 2; ++edits) {
      const FuzzyAutomaton automaton(words[i], edits);
      FuzzyPattern pattern(words[i], edits);
      for (const std::string& other : words) {
        ASSERT_EQ(automaton.DistanceOf(other), pattern.Distance(other)) << words[i] << " " << other;
      }
    }
  }
}

// Otherwise a walk of a dictionary would skip terms that match.
TEST(FuzzyAutomaton, IsDeadOnlyWhenNothingThatBeginsSoIsNear) {
  SeededRandom random(2);
  size_t dead = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto edits = static_cast<uint32_t>(random.Below(3));
    const std::string word = RandomWord(random, 5);
    const std::string prefix = RandomWord(random, 4);
    if (prefix.ends_with('\xc3')) continue;  // may be the begin of a character
    const FuzzyAutomaton automaton(word, edits);
    std::vector<uint32_t> characters;
    DecodeCodePoints(prefix, characters);
    FuzzyAutomaton::State state = FuzzyAutomaton::kStart;
    for (size_t i = 0; i < characters.size() && state != FuzzyAutomaton::kDead; ++i) {
      state = automaton.Step(state, i, characters[i]);
    }
    if (state != FuzzyAutomaton::kDead) continue;
    ++dead;
    FuzzyPattern pattern(word, edits);
    for (size_t from = 0; from <= word.size(); ++from) {
      ASSERT_EQ(pattern.Distance(prefix + word.substr(from)), std::nullopt) << word << prefix;
    }
  }
  EXPECT_GT(dead, 1000u);
}

TEST(FuzzyAutomaton, TellsWhetherOtherCharactersAreTaken) {
  const FuzzyAutomaton automaton("word", 1);
  EXPECT_TRUE(automaton.TakesOthers(FuzzyAutomaton::kStart, 0));
  const FuzzyAutomaton::State replaced = automaton.Step(FuzzyAutomaton::kStart, 0, 'x');
  EXPECT_FALSE(automaton.TakesOthers(replaced, 1));
  EXPECT_FALSE(automaton.has_stray_bytes());
  EXPECT_TRUE(FuzzyAutomaton("a\xff", 1).has_stray_bytes());
}

TEST(FuzzyAutomaton, FindsTheLeastCharacterOfTheWordThatItTakes) {
  SeededRandom random(7);
  size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto edits = static_cast<uint32_t>(random.Below(3));
    const std::string word = RandomWord(random, 6);
    const FuzzyAutomaton automaton(word, edits);
    std::vector<uint32_t> of_word;
    DecodeCodePoints(word, of_word);
    FuzzyAutomaton::State state = FuzzyAutomaton::kStart;
    for (size_t depth = 0; state != FuzzyAutomaton::kDead; ++depth) {
      const auto from = static_cast<uint32_t>(random.Below(300));
      std::optional<FuzzyAutomaton::Move> expected;
      for (const uint32_t character : of_word) {
        const FuzzyAutomaton::State next = automaton.Step(state, depth, character);
        const bool is_less = !expected.has_value() || character < expected->character;
        if (character < from || next == FuzzyAutomaton::kDead || !is_less) continue;
        // A character of another part of the word is like one that the word does not have.
        if (next == automaton.Step(state, depth, FuzzyAutomaton::kNoCharacter - 1)) continue;
        expected = FuzzyAutomaton::Move{character, next};
      }
      const auto move = automaton.LeastMove(state, depth, from);
      if (expected.has_value()) {
        ++found;
        ASSERT_TRUE(move.has_value());
        ASSERT_LE(move->character, expected->character);
      }
      if (move.has_value()) {
        ASSERT_GE(move->character, from);
        ASSERT_EQ(move->state, automaton.Step(state, depth, move->character));
        ASSERT_NE(move->state, FuzzyAutomaton::kDead);
      }
      const bool takes_word = !of_word.empty() && random.Below(4) != 0;
      state = automaton.Step(state, depth,
                             takes_word ? of_word[random.Below(of_word.size())] : uint32_t{'?'});
    }
  }
  EXPECT_GT(found, 3000u);
}

}  // namespace fuzzy_automaton_test
}  // namespace pmdex
