#include "query/expansion/fuzzy_terms.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "query/expansion/term_pattern.h"
#include "tests/query/expansion/segment_of_terms.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace fuzzy_terms_test {

using Terms = std::map<std::string, uint32_t>;  // with their distances

Terms AlignAll(const std::set<std::string>& terms, const std::string& word, uint32_t edits) {
  FuzzyPattern pattern(word, edits);
  Terms found;
  for (const std::string& term : terms) {
    if (const auto distance = pattern.Distance(term)) found[term] = *distance;
  }
  return found;
}

void ExpectWalksTheSame(const Segment& segment, const std::set<std::string>& terms,
                        const std::string& word, uint32_t edits) {
  const FuzzyAutomaton automaton(word, edits);
  DeadlineWatch watch(kNoDeadline);
  FuzzyTerms walk(segment.dictionary(), kFieldOfTerms, automaton, watch);
  const Terms expected = AlignAll(terms, word, edits);
  for (const auto& [term, distance] : expected) {
    ASSERT_TRUE(walk.Next()) << word << "~" << edits << " misses " << term;
    ASSERT_EQ(walk.term(), term) << word << "~" << edits;
    ASSERT_EQ(walk.distance(), distance);
    ASSERT_TRUE(IsSame(walk.entry().value(), segment.Find(kFieldOfTerms, term).value().value()));
  }
  ASSERT_FALSE(walk.Next()) << word << "~" << edits << " finds " << walk.term();
  ASSERT_FALSE(walk.Next());
  ASSERT_TRUE(walk.status().ok());
}

TEST(FuzzyTerms, EqualTheAlignmentOfEveryTerm) {
  SeededRandom random(1);
  for (const auto& alphabet : kAlphabets) {
    for (const size_t count : {size_t{1}, size_t{40}, size_t{3000}}) {
      const std::set<std::string> terms = RandomTerms(random, count, alphabet);
      const auto segment = SegmentOfTerms(terms);
      for (int round = 0; round < 150; ++round) {
        std::string word = RandomText(random, alphabet, 10);
        if (round == 0) word.clear();
        for (uint32_t edits = 0; edits <= 2; ++edits) {
          ExpectWalksTheSame(*segment, terms, word, edits);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(FuzzyTerms, LookAtFewTerms) {
  SeededRandom random(2);
  const auto segment = SegmentOfTerms(RandomWords(random, 20000));
  for (uint32_t edits = 0; edits <= 2; ++edits) {
    const FuzzyAutomaton automaton("kernel", edits);
    DeadlineWatch watch(kNoDeadline);
    FuzzyTerms walk(segment->dictionary(), kFieldOfTerms, automaton, watch);
    while (walk.Next()) {
    }
    const uint64_t most[] = {3, 200, 5000};
    EXPECT_LT(walk.visited(), most[edits]) << edits;
  }
}

TEST(FuzzyTerms, EndWithTheFieldAndWithoutIt) {
  const auto segment = SegmentOfTerms({"aaa"});
  const FuzzyAutomaton automaton("aaa", 2);
  DeadlineWatch watch(kNoDeadline);
  FuzzyTerms other(segment->dictionary(), 7, automaton, watch);
  EXPECT_FALSE(other.Next());
  EXPECT_TRUE(other.status().ok());
}

TEST(FuzzyTerms, EndSoonAfterTheDeadline) {
  std::set<std::string> terms;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) terms.insert({'w', a, b});
  }
  const auto segment = SegmentOfTerms(terms);
  const FuzzyAutomaton automaton("w", 2);  // all of them are near enough
  Deadline deadline = std::chrono::steady_clock::time_point::max();
  DeadlineWatch watch(deadline);
  FuzzyTerms walk(segment->dictionary(), kFieldOfTerms, automaton, watch);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(walk.Next());
  deadline = std::chrono::steady_clock::time_point::min();
  size_t after = 0;
  while (walk.Next()) ++after;
  EXPECT_LE(after, 64u);
  EXPECT_TRUE(watch.is_over());
  EXPECT_TRUE(walk.status().ok());
  EXPECT_FALSE(walk.Next());
}

TEST(FuzzyTerms, ReportDamage) {
  std::set<std::string> terms;
  for (int i = 0; i < 1000; ++i) terms.insert("w" + std::to_string(i));
  VectorSegmentInput input({.positions = false});
  const FieldId field = input.AddField("field");
  const DocId doc = input.AddDocument("doc");
  for (const std::string& term : terms) input.AddPosting(field, term, {doc, 1, {}});
  input.Finish();
  SegmentBytes bytes(input);
  bytes.at<uint64_t>(SectionKind::kTermBlockStarts, 3) = ~uint64_t{0};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  const FuzzyAutomaton automaton("w500", 2);
  DeadlineWatch watch(kNoDeadline);
  FuzzyTerms walk(segment->dictionary(), field, automaton, watch);
  while (walk.Next()) {
  }
  EXPECT_EQ(walk.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(walk.Next());
}

}  // namespace fuzzy_terms_test
}  // namespace pmdex
