#include "query/expansion/fuzzy_expansion.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/expansion/term_pattern.h"
#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace fuzzy_expansion_test {

class FuzzyExpansionTest : public testing::Test {
 protected:
  void Add(const std::string& body) {
    reference_.Add({"d" + std::to_string(count_++), {{"body", body}}});
  }
  void Build(size_t per_segment) { snapshot_ = reference_.BuildSnapshot(per_segment, true, false); }

  // Leaves every n-th segment without signatures, as older versions of pmdex wrote them.
  void DropSignaturesOfEvery(size_t n) {
    std::vector<std::shared_ptr<const Segment>> segments;
    for (const auto& segment : snapshot_->segments()) {
      SegmentBytes bytes(*segment);
      if (segments.size() % n == 0) {
        bytes.entry(SectionKind::kTermSignatures).kind = SectionKind{63};
        bytes.Reseal();
      }
      segments.push_back(bytes.Open().value());
    }
    snapshot_ = Snapshot::Of(snapshot_->settings(), std::move(segments));
  }

  std::vector<FuzzyExpansion> Expand(const std::string& text, uint32_t edits,
                                     const Deadline& deadline = kNoDeadline) {
    Query query;
    query.kind = QueryKind::kFuzzy;
    query.field = "body";
    query.text = text;
    query.edits = edits;
    DeadlineWatch watch(deadline);
    auto expansions = ExpandFuzzy(query, *snapshot_, watch);
    EXPECT_TRUE(expansions.ok()) << expansions.status();
    return std::move(*expansions);
  }

  ReferenceIndex reference_{AnalyzerKind::kWhitespace};
  std::shared_ptr<const Snapshot> snapshot_;
  size_t count_ = 0;
};

TEST_F(FuzzyExpansionTest, TakesOnlyTermsWithThePrefixAndOnlySoMany) {
  Add("w\xc3\xb6rd w\xc3\xb6rds w\xc3\xb6rt word xw\xc3\xb6rd w\xc3\xb6 sw\xc3\xb6rd");
  Build(1);
  Query query;
  query.kind = QueryKind::kFuzzy;
  query.field = "body";
  query.text = "w\xc3\xb6rd";
  query.edits = 2;
  const auto terms = [&] {
    DeadlineWatch watch(kNoDeadline);
    std::vector<std::string> texts;
    const auto expansions = ExpandFuzzy(query, *snapshot_, watch);
    for (const FuzzyExpansion& expansion : *expansions) texts.push_back(expansion.term.text);
    return texts;
  };
  EXPECT_EQ(terms().size(), 7u);
  query.prefix_length = 2;
  EXPECT_EQ(terms(),
            (std::vector<std::string>{"w\xc3\xb6", "w\xc3\xb6rd", "w\xc3\xb6rds", "w\xc3\xb6rt"}));
  query.prefix_length = 9;
  EXPECT_EQ(terms(), (std::vector<std::string>{"w\xc3\xb6rd", "w\xc3\xb6rds"}));
  query.max_expansions = 1;
  EXPECT_EQ(terms(), (std::vector<std::string>{"w\xc3\xb6rd"}));
  query.max_expansions = 0;
  EXPECT_TRUE(terms().empty());
}

TEST_F(FuzzyExpansionTest, KeepsTheNearestAndOfEqualsTheFirst) {
  std::string all = "word";
  for (char c = 'a'; c <= 'z'; ++c) all += std::string(" wor") + c + " xx" + c + "d";
  for (char c = 'a'; c <= 'z'; ++c) all += std::string(" wo") + c + c + " " + c + "word";
  Add(all);
  Build(1);
  std::set<std::string> kept;
  for (const FuzzyExpansion& expansion : Expand("word", 2)) kept.insert(expansion.term.text);
  EXPECT_EQ(kept.size(), kMaxFuzzyTerms);
  EXPECT_TRUE(kept.contains("word"));
  // 52 terms at one edit; in byte order: aword to vword, wodd, wora to worz, wword to zword.
  for (char c = 'a'; c <= 'z'; ++c) {
    EXPECT_TRUE(kept.contains(std::string("wor") + c)) << c;
    EXPECT_EQ(kept.contains(c + std::string("word")), c <= 'w') << c;
  }
  EXPECT_TRUE(kept.contains("wodd"));
  EXPECT_FALSE(kept.contains("woaa"));  // two edits
}

TEST_F(FuzzyExpansionTest, IsTheSameChoiceHoweverTermsAreSpreadOverSegments) {
  SeededRandom random(3);
  std::map<std::string, uint64_t> df;
  for (int i = 0; i < 400; ++i) {
    std::set<std::string> words;
    for (int j = 0; j < 6; ++j) {
      std::string word;
      for (size_t n = 2 + random.Below(3); n > 0; --n) {
        word += static_cast<char>('a' + random.Below(5));
      }
      words.insert(word);
    }
    std::string body;
    for (const std::string& word : words) {
      ++df[word];
      body += word + " ";
    }
    Add(body);
  }
  for (const std::string text : {"abc", "dd", "edcba", "a"}) {
    FuzzyPattern pattern(text, 2);
    std::set<std::tuple<float, std::string>> ranked;  // the nearest first
    for (const auto& [word, count] : df) {
      const auto distance = pattern.Distance(word);
      if (distance.has_value()) ranked.insert({-pattern.Similarity(word, *distance), word});
    }
    ASSERT_GT(ranked.size(), kMaxFuzzyTerms);
    std::set<std::string> expected;
    for (const auto& [farness, word] : ranked) {
      if (expected.size() < kMaxFuzzyTerms) expected.insert(word);
    }
    // By signatures, by walks, and by both in one search.
    for (const auto& [per_segment, without] :
         {std::pair(400, 0), {60, 0}, {7, 0}, {60, 1}, {60, 2}, {7, 3}}) {
      Build(static_cast<size_t>(per_segment));
      if (without != 0) DropSignaturesOfEvery(static_cast<size_t>(without));
      const auto expansions = Expand(text, 2);
      std::set<std::string> found;
      for (const FuzzyExpansion& expansion : expansions) {
        const BoundTerm& term = expansion.term;
        found.insert(term.text);
        EXPECT_EQ(term.df, df[term.text]) << term.text;
        for (size_t i = 0; i < term.entries.size(); ++i) {
          const Segment& segment = *snapshot_->segments()[i];
          const auto entry = segment.Find(*segment.FindField("body"), term.text).value();
          ASSERT_EQ(term.entries[i] != nullptr, entry.has_value());
          EXPECT_TRUE(!entry.has_value() || IsSame(*term.entries[i], *entry));
        }
      }
      EXPECT_EQ(found, expected) << text;
      EXPECT_TRUE(std::is_sorted(expansions.begin(), expansions.end(),
                                 [](auto& a, auto& b) { return a.term.text < b.term.text; }));
    }
  }
}

TEST_F(FuzzyExpansionTest, EndsAtTheDeadline) {
  Add("word wort");
  Build(1);
  EXPECT_EQ(Expand("word", 1, std::chrono::steady_clock::time_point::max()).size(), 2u);
  EXPECT_TRUE(Expand("word", 1, std::chrono::steady_clock::time_point::min()).empty());
}

TEST_F(FuzzyExpansionTest, RefusesMoreEditsThanTheAutomatonHas) {
  Add("word");
  Build(1);
  Query query;
  query.kind = QueryKind::kFuzzy;
  query.field = "body";
  query.text = "word";
  query.edits = 3;
  DeadlineWatch watch(kNoDeadline);
  EXPECT_EQ(ExpandFuzzy(query, *snapshot_, watch).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace fuzzy_expansion_test
}  // namespace pmdex
