#include "query/expansion/one_edit_terms.h"

#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

#include "query/expansion/fuzzy_automaton.h"
#include "tests/query/expansion/segment_of_terms.h"
#include "tests/query/expansion/walked_terms.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace one_edit_terms_test {

// Checks the order and the entries of the terms.
TermDistances FoundBy(OneEditTerms& terms, const Segment& segment, const std::string& prefix) {
  EXPECT_TRUE(terms.Find(segment.dictionary(), kFieldOfTerms).ok());
  TermDistances found;
  std::string last;
  while (terms.Next()) {
    EXPECT_LT(last, terms.term());
    last = terms.term();
    EXPECT_TRUE(IsSame(terms.entry().value(), segment.Find(kFieldOfTerms, last).value().value()));
    if (last.starts_with(prefix)) found.emplace(last, terms.distance());
  }
  return found;
}

// What words are made of, and what terms are: characters of every gap, of one byte and of more,
// and bytes that are characters only together.
const std::initializer_list<const char*> kWords = {"a", "b", "z", "0", "9", "_"};
const std::initializer_list<const char*> kTerms = {
    "a", "b",    "z",    "0",      "9",      "_",      "/",          ":",    "^",    "`",
    "{", "\x7f", "\x01", "\u00e9", "\u00ea", "\u20ac", "\U0001f600", "\xc3", "\xe2", "\xff"};

TEST(OneEditTerms, EqualTheWalk) {
  SeededRandom random(1);
  size_t found = 0;
  for (const size_t count : {size_t{1}, size_t{40}, size_t{3000}}) {
    for (int round = 0; round < 100; ++round) {
      std::string word = RandomText(random, kWords, round % 3 == 0 ? 3 : 7);
      if (word.size() > 5 && random.OneIn(2)) word += RandomText(random, kTerms, 2);
      ASSERT_TRUE(OneEditTerms::Suits(word));
      // Most terms differ from the word in one place; others in more, or in everything.
      std::set<std::string> terms;
      while (terms.size() < count) {
        std::string term = random.OneIn(3) ? RandomText(random, kTerms, 4) : word;
        for (size_t edits = random.Below(3); edits > 0 && !term.empty(); --edits) {
          const size_t at = random.Below(term.size() + 1);
          term.replace(at, random.Below(2), random.OneIn(3) ? "" : RandomText(random, kTerms, 1));
        }
        if (random.OneIn(4) && term.size() > 1) std::swap(term[0], term[1]);
        terms.insert(term.empty() ? "a"
                                  : term.substr(0, 20) + (count > 40 && random.OneIn(2)
                                                              ? RandomText(random, kTerms, 3)
                                                              : std::string()));
      }
      const auto segment = SegmentOfTerms(terms);
      for (const size_t prefix_bytes : {size_t{0}, size_t{1}, word.size()}) {
        const std::string prefix = word.substr(0, prefix_bytes);
        DeadlineWatch watch(kNoDeadline);
        const FuzzyAutomaton automaton(word, 1);
        OneEditTerms one_edit(word, prefix, automaton, watch);
        const TermDistances expected = WalkedTerms(*segment, automaton, prefix);
        ASSERT_EQ(FoundBy(one_edit, *segment, prefix), expected) << word << " " << prefix;
        found += expected.size();
      }
    }
  }
  EXPECT_GT(found, 1000u);
}

// The object is made for a word, and used for one dictionary after the other.
TEST(OneEditTerms, FindsTheTermsOfManyDictionaries) {
  DeadlineWatch watch(kNoDeadline);
  const FuzzyAutomaton automaton("kernel", 1);
  OneEditTerms terms("kernel", "", automaton, watch);
  for (const char* other : {"kernels", "kerne\u00e9l", "colonel"}) {
    const auto segment = SegmentOfTerms({"kernel", other, "zebra"});
    EXPECT_EQ(FoundBy(terms, *segment, ""), WalkedTerms(*segment, automaton, "")) << other;
  }
  const auto none = SegmentOfTerms({"zebra"});
  EXPECT_TRUE(FoundBy(terms, *none, "").empty());
  EXPECT_FALSE(terms.Next());
}

TEST(OneEditTerms, SuitsWordsThatBeginWithFewDifferentCharacters) {
  for (const char* word : {"a", "kernel", "0x12", "_", "spin_lock", "kernel-\u00e9"}) {
    EXPECT_TRUE(OneEditTerms::Suits(word)) << word;
  }
  for (const char* word : {"", "Kernel", "caf\u00e9", "a-b", "\xff"}) {
    EXPECT_FALSE(OneEditTerms::Suits(word)) << word;
  }
}

// Terms that begin like the word are so many that more of its characters are edited by look-ups.
TEST(OneEditTerms, EqualTheWalkWhereManyTermsBeginLikeTheWord) {
  SeededRandom random(5);
  std::set<std::string> terms;
  while (terms.size() < 90'000) {
    std::string term = "0x";
    for (int i = 0; i < 5; ++i) term += "0123456789abcdef"[random.Below(16)];
    terms.insert(term);
  }
  const auto segment = SegmentOfTerms(terms);
  size_t found = 0;
  for (const std::string& term : {*terms.begin(), *terms.rbegin(), *terms.lower_bound("0x7")}) {
    for (const std::string& word : {term, term + "g", term.substr(1), "x0" + term.substr(2)}) {
      const FuzzyAutomaton automaton(word, 1);
      DeadlineWatch watch(kNoDeadline);
      OneEditTerms one_edit(word, "", automaton, watch);
      const TermDistances expected = WalkedTerms(*segment, automaton, "");
      EXPECT_EQ(FoundBy(one_edit, *segment, ""), expected) << word;
      found += expected.size();
    }
  }
  EXPECT_GT(found, 20u);
}

TEST(OneEditTerms, ReportDamage) {
  SeededRandom random(3);
  for (const SectionKind kind : {SectionKind::kTermBlocks, SectionKind::kTermSignatures,
                                 SectionKind::kRareTermSlots, SectionKind::kDictionaryEntries}) {
    SegmentBytes bytes(*SegmentOfTerms(RandomWords(random, 5000)));
    const auto section = bytes.section(kind);
    for (size_t at = 0; at < section.size(); at += kPageBytes) section[at] ^= std::byte{1};
    const auto segment = bytes.Open().value();  // checks no pages
    DeadlineWatch watch(kNoDeadline);
    const FuzzyAutomaton automaton("kernel", 1);
    OneEditTerms terms("kernel", "", automaton, watch);
    EXPECT_EQ(terms.Find(segment->dictionary(), kFieldOfTerms).code(), absl::StatusCode::kDataLoss);
    EXPECT_FALSE(terms.status().ok());
    EXPECT_FALSE(terms.Next());
  }
}

TEST(OneEditTerms, StopAtTheDeadline) {
  const auto segment = SegmentOfTerms({"kernel", "kernels"});
  const Deadline past{DeadlineClock::TimePoint{}};
  DeadlineWatch watch(past);
  const FuzzyAutomaton automaton("kernel", 1);
  OneEditTerms terms("kernel", "", automaton, watch);
  ASSERT_TRUE(terms.Find(segment->dictionary(), kFieldOfTerms).ok());
  EXPECT_TRUE(watch.is_over());
  EXPECT_FALSE(terms.Next());
}

}  // namespace one_edit_terms_test
}  // namespace pmdex
