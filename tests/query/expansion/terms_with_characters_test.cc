#include "query/expansion/terms_with_characters.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

#include "query/expansion/term_pattern.h"
#include "tests/query/expansion/segment_of_terms.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace terms_with_characters_test {

std::set<std::string> Terms(TermsWithCharacters& terms) {
  std::set<std::string> found;
  std::string last;
  while (terms.Next()) {
    EXPECT_LT(last, terms.terms().term());
    last = terms.terms().term();
    found.insert(last);
  }
  EXPECT_TRUE(terms.status().ok()) << terms.status();
  EXPECT_FALSE(terms.Next());
  return found;
}

// Of every alphabet, also of stray bytes that are a part of characters elsewhere.
TEST(TermsWithCharacters, HaveAllThatAWildcardMatches) {
  SeededRandom random(1);
  size_t matches = 0;
  size_t passed = 0;
  size_t all = 0;
  for (const auto& alphabet : kAlphabets) {
    for (const size_t count : {size_t{1}, size_t{40}, size_t{6000}}) {
      const std::set<std::string> terms = RandomTerms(random, count, alphabet);
      const auto segment = SegmentOfTerms(terms);
      for (int round = 0; round < 60; ++round) {
        std::string text = random.OneIn(2) ? "" : RandomText(random, alphabet, 2);
        text += random.OneIn(3) ? "?" : "*";
        text += RandomText(random, alphabet, 3);
        if (random.OneIn(2)) text += "*" + RandomText(random, alphabet, 1);
        const WildcardPattern pattern(text);
        DeadlineWatch watch(kNoDeadline);
        TermsWithCharacters with(segment->dictionary(), kFieldOfTerms, pattern.literal_prefix(),
                                 ClassesOf(pattern.RequiredCharacters()), watch);
        const std::set<std::string> found = Terms(with);
        for (const std::string& term : terms) {
          if (!pattern.Matches(term)) continue;
          ++matches;
          ASSERT_EQ(found.count(term), 1u) << text << " " << term;
        }
        for (const std::string& term : found) {
          ASSERT_TRUE(term.starts_with(pattern.literal_prefix()));
          ASSERT_EQ(terms.count(term), 1u);
        }
        passed += found.size();
        all += terms.size();
      }
    }
  }
  EXPECT_GT(matches, 1000u);
  EXPECT_LT(passed, all / 2);
}

TEST(TermsWithCharacters, AreUsefulIfTheyRuleOutTermsOfThePrefix) {
  const auto segment = SegmentOfTerms({"a", "b"});
  const TermDictionary& dictionary = segment->dictionary();
  EXPECT_TRUE(TermsWithCharacters::IsUseful(dictionary, "", ClassesOf("irq")));
  EXPECT_TRUE(TermsWithCharacters::IsUseful(dictionary, "cpu", ClassesOf("cpux")));
  EXPECT_FALSE(TermsWithCharacters::IsUseful(dictionary, "cpu", ClassesOf("cpuu")));
  EXPECT_FALSE(TermsWithCharacters::IsUseful(dictionary, "", ClassesOf("")));
}

TEST(TermsWithCharacters, ReportDamage) {
  SeededRandom random(3);
  for (const SectionKind kind : {SectionKind::kTermSignatures, SectionKind::kTermBlocks}) {
    SegmentBytes bytes(*SegmentOfTerms(RandomWords(random, 5000)));
    const auto section = bytes.section(kind);
    for (size_t at = 0; at < section.size(); at += kPageBytes) section[at] ^= std::byte{1};
    const auto segment = bytes.Open().value();  // checks no pages
    DeadlineWatch watch(kNoDeadline);
    TermsWithCharacters terms(segment->dictionary(), kFieldOfTerms, "", ClassesOf("q"), watch);
    while (terms.Next()) {
    }
    EXPECT_EQ(terms.status().code(), absl::StatusCode::kDataLoss) << static_cast<int>(kind);
  }
}

TEST(TermsWithCharacters, StopAtTheDeadline) {
  const auto segment = SegmentOfTerms({"kernel", "kernels"});
  const Deadline past{DeadlineClock::TimePoint{}};
  DeadlineWatch watch(past);
  TermsWithCharacters terms(segment->dictionary(), kFieldOfTerms, "", ClassesOf("k"), watch);
  EXPECT_FALSE(terms.Next());
  EXPECT_TRUE(watch.is_over());
  EXPECT_TRUE(terms.status().ok());
}

}  // namespace terms_with_characters_test
}  // namespace pmdex
