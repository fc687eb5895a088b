#include "query/expansion/signature_terms.h"

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/query/expansion/segment_of_terms.h"
#include "tests/query/expansion/walked_terms.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace signature_terms_test {

using Candidates = SignatureTerms::Candidates;

// What WalkedTerms finds, by signatures. Checks the order and the entries of the terms.
TermDistances Scan(const Segment& segment, const FuzzyAutomaton& automaton, const std::string& word,
                   const std::string& prefix) {
  DeadlineWatch watch(kNoDeadline);
  SignatureTerms terms(segment.dictionary(), kFieldOfTerms, automaton, watch);
  EXPECT_TRUE(terms.Scan(word, prefix).ok());
  TermDistances found;
  for (const Candidates set : {Candidates::kNear, Candidates::kFar}) {
    terms.Start(set);
    std::string last;
    while (terms.Next()) {
      EXPECT_LT(last, terms.term());
      last = terms.term();
      EXPECT_TRUE(set == Candidates::kNear || terms.distance() == 2) << last;
      EXPECT_TRUE(IsSame(terms.entry().value(), segment.Find(kFieldOfTerms, last).value().value()));
      if (!last.starts_with(prefix)) continue;
      EXPECT_TRUE(found.emplace(last, terms.distance()).second) << last;
    }
    EXPECT_FALSE(terms.Next());
    EXPECT_TRUE(terms.status().ok());
  }
  return found;
}

TEST(SignatureTerms, EqualTheWalk) {
  SeededRandom random(1);
  for (const auto& alphabet : kAlphabets) {
    // Also blocks that are not full, and more of them than are compared at once.
    for (const size_t count : {size_t{1}, size_t{40}, size_t{9000}}) {
      const auto segment = SegmentOfTerms(RandomTerms(random, count, alphabet));
      for (int round = 0; round < 60; ++round) {
        std::string word = RandomText(random, alphabet, 10);
        if (round == 0) word.clear();
        const std::string prefix = word.substr(0, random.Below(4) % (word.size() + 1));
        const FuzzyAutomaton automaton(word, 2);
        ASSERT_EQ(Scan(*segment, automaton, word, prefix), WalkedTerms(*segment, automaton, prefix))
            << word << " " << prefix;
      }
    }
  }
}

TEST(SignatureTerms, LeaveOutTheBlocksOfOtherPrefixes) {
  SeededRandom random(2);
  std::set<std::string> words = RandomWords(random, 20000);
  for (char c = 'a'; c <= 'z'; ++c) words.insert(c + std::string("ernel"));
  const auto segment = SegmentOfTerms(words);
  const FuzzyAutomaton automaton("kernel", 2);
  EXPECT_GE(Scan(*segment, automaton, "kernel", "").size(), 26u);
  DeadlineWatch watch(kNoDeadline);
  SignatureTerms terms(segment->dictionary(), kFieldOfTerms, automaton, watch);
  ASSERT_TRUE(terms.Scan("kernel", "k").ok());
  terms.Start(Candidates::kNear);
  size_t found = 0;
  for (; terms.Next(); ++found) {
    EXPECT_TRUE(terms.term()[0] >= 'j' && terms.term()[0] <= 'l') << terms.term();
  }
  EXPECT_GE(found, 1u);
}

TEST(SignatureTerms, ReportDamage) {
  SeededRandom random(3);
  const FuzzyAutomaton automaton("kernel", 2);
  for (const SectionKind kind : {SectionKind::kTermSignatures, SectionKind::kTermBlocks}) {
    SegmentBytes bytes(*SegmentOfTerms(RandomWords(random, 5000)));
    const auto section = bytes.section(kind);
    for (size_t at = 0; at < section.size(); at += kPageBytes) section[at] ^= std::byte{1};
    const auto segment = bytes.Open().value();  // checks no pages
    DeadlineWatch watch(kNoDeadline);
    SignatureTerms terms(segment->dictionary(), kFieldOfTerms, automaton, watch);
    absl::Status status = terms.Scan("kernel", "");
    if (status.ok()) {
      terms.Start(Candidates::kFar);
      while (terms.Next()) {
      }
      status = terms.status();
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << static_cast<int>(kind);
  }
}

TEST(SignatureTerms, StopAtTheDeadline) {
  SeededRandom random(4);
  const auto segment = SegmentOfTerms(RandomWords(random, 5000));
  const FuzzyAutomaton automaton("kernel", 2);
  const Deadline past{DeadlineClock::TimePoint{}};
  DeadlineWatch watch(past);
  SignatureTerms terms(segment->dictionary(), kFieldOfTerms, automaton, watch);
  ASSERT_TRUE(terms.Scan("kernel", "").ok());
  EXPECT_TRUE(watch.is_over());
  terms.Start(Candidates::kNear);
  EXPECT_FALSE(terms.Next());
  EXPECT_TRUE(terms.status().ok());
}

}  // namespace signature_terms_test
}  // namespace pmdex
