#include "query/searcher.h"

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/reference_index.h"

namespace pmdex {
namespace searcher_test {

// An index of documents with the given bodies, in segments of two documents each.
class Library {
 public:
  explicit Library(const std::vector<std::string>& bodies,
                   AnalyzerKind analyzer = AnalyzerKind::kStandard, size_t per_segment = 2,
                   bool positions = true)
      : reference_(analyzer) {
    for (size_t i = 0; i < bodies.size(); ++i) {
      reference_.Add({std::to_string(i), {{"body", bodies[i]}}});
    }
    searcher_ = std::make_unique<Searcher>(
        reference_.BuildSnapshot(per_segment, positions, /*store_text=*/true));
  }

  const Searcher& searcher() const { return *searcher_; }
  SearchResult Search(std::string_view query, const SearchOptions& options = {}) const {
    const auto result = searcher_->Search(query, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : SearchResult{};
  }
  // The ids of all matches in index order, joined by spaces.
  std::string Matches(std::string_view query) const {
    SearchOptions options;
    options.k = 1000;
    std::map<uint64_t, std::string> ids;
    for (const Hit& hit : Search(query, options).hits) ids[hit.doc] = hit.id;
    std::string text;
    for (const auto& [doc, id] : ids) text += (text.empty() ? "" : " ") + id;
    return text;
  }
  float Score(std::string_view query, std::string_view id) const {
    SearchOptions options;
    options.k = 1000;
    for (const Hit& hit : Search(query, options).hits) {
      if (hit.id == id) return hit.score;
    }
    return NAN;
  }

 private:
  ReferenceIndex reference_;
  std::unique_ptr<Searcher> searcher_;
};

TEST(Searcher, CombinesWordsAsTheLanguageSays) {
  const Library library({"a b c", "a b", "a", "b c", "d", "a d"});
  EXPECT_EQ(library.Matches("a"), "0 1 2 5");
  EXPECT_EQ(library.Matches("a c"), "0 1 2 3 5");
  EXPECT_EQ(library.Matches("a AND c"), "0");
  EXPECT_EQ(library.Matches("a AND b OR d"), "0 1");
  EXPECT_EQ(library.Matches("+a -b"), "2 5");
  EXPECT_EQ(library.Matches("+a b"), "0 1 2 5");
  EXPECT_EQ(library.Matches("NOT a"), "3 4");
  EXPECT_EQ(library.Matches("-a -b"), "4");
  EXPECT_EQ(library.Matches("d (-b)"), "2 4 5");
  EXPECT_EQ(library.Matches("+(b d) -c"), "1 4 5");
  EXPECT_EQ(library.Matches("*"), "0 1 2 3 4 5");
  EXPECT_EQ(library.Matches("*:* -a"), "3 4");
  EXPECT_EQ(library.Matches("zzz"), "");
  EXPECT_EQ(library.Matches("zzz a"), "0 1 2 5");
  EXPECT_EQ(library.Matches("+zzz a"), "");
  EXPECT_EQ(library.Matches("-zzz"), "0 1 2 3 4 5");
  EXPECT_EQ(library.Matches("zzz -a"), "");
  EXPECT_EQ(library.Matches("nofield:a"), "");
  EXPECT_EQ(library.Matches("nofield:* nofield:a* nofield:a~1 nofield:\"a b\""), "");
  EXPECT_EQ(library.Matches("body:*"), "0 1 2 3 4 5");
}

TEST(Searcher, FindsPhrasesPatternsAndNeighbours) {
  const Library library({"the quick fox", "fox quick the", "quick brown fox", "qiuck foxes",
                         "wi-fi", "fi wi", "caf\u00e9"});
  EXPECT_EQ(library.Matches("\"quick fox\""), "0");
  EXPECT_EQ(library.Matches("\"quick fox\"~1"), "0 2");
  EXPECT_EQ(library.Matches("\"quick fox\"~2"), "0 1 2");
  EXPECT_EQ(library.Matches("quick~0"), "0 1 2");
  EXPECT_EQ(library.Matches("quick~1"), "0 1 2 3");
  EXPECT_EQ(library.Matches("qick~"), "0 1 2 3");
  EXPECT_EQ(library.Matches("fo*"), "0 1 2 3");
  EXPECT_EQ(library.Matches("f?x"), "0 1 2");
  EXPECT_EQ(library.Matches("*x*"), "0 1 2 3");
  EXPECT_EQ(library.Matches("caf?"), "6");
  EXPECT_EQ(library.Matches("CAF\u00c9"), "6");
  EXPECT_EQ(library.Matches("wi-fi"), "4 5");
  EXPECT_EQ(library.Matches("\"wi-fi\""), "4");
}

TEST(Searcher, ScoresTfidfAsDocumented) {
  const Library library({"a b a", "b", "c d e f"});
  // N = 3, df = 1, tf = 2, dl = 3.
  const double expected = (std::log(4.0 / 2.0) + 1) * std::sqrt(2.0) / std::sqrt(3.0);
  SearchOptions options;
  options.similarity = SimilarityKind::kTfidf;
  const SearchResult result = library.Search("a", options);
  ASSERT_EQ(result.hits.size(), 1u);
  EXPECT_NEAR(result.hits[0].score, expected, 1e-6);
}

TEST(Searcher, ScoresBm25AsComputedByHand) {
  const Library library({"a b a", "b", "c d e f"});
  // a: N = 3, df = 1, idf = ln(1 + 2.5 / 1.5) = ln(8 / 3) = 0.98082925; avgdl = (3 + 1 + 4) / 3
  // = 8 / 3. Document 0: tf = 2, dl = 3: k1 * (1 - b + b * 3 / (8 / 3)) = 1.2 * (0.25 + 0.75 *
  // 1.125) = 1.3125; 0.98082925 * 2 / (2 + 1.3125) = 0.59219879.
  EXPECT_NEAR(library.Score("a", "0"), 0.59219879, 1e-6);
  EXPECT_NEAR(library.Score("a^2", "0"), 2 * 0.59219879, 2e-6);
  // b: df = 2, idf = ln(1 + 1.5 / 2.5) = ln(1.6) = 0.47000363. Document 1: tf = 1, dl = 1:
  // 1.2 * (0.25 + 0.75 * 0.375) = 0.6375; 0.47000363 / 1.6375 = 0.28702512. Document 0: tf = 1,
  // 0.47000363 / 2.3125 = 0.20324481.
  EXPECT_NEAR(library.Score("b", "1"), 0.28702512, 1e-6);
  EXPECT_NEAR(library.Score("a b", "0"), 0.59219879 + 0.20324481, 1e-6);
  // "b a" stands once in document 0, idf = 0.98082925 + 0.47000363 = 1.45083288: / 2.3125.
  EXPECT_NEAR(library.Score("\"b a\"", "0"), 1.45083288 / 2.3125, 1e-6);
  // Sloppy "a b"~2: a b (distance 0), b a (distance 2): frequency 1 + 1/3.
  EXPECT_NEAR(library.Score("\"a b\"~2", "0"), 1.45083288 * (4.0 / 3) / (4.0 / 3 + 1.3125), 1e-6);
  EXPECT_FLOAT_EQ(library.Score("b*", "1"), 1.0f);
  EXPECT_FLOAT_EQ(library.Score("b*^3", "1"), 3.0f);
  EXPECT_FLOAT_EQ(library.Score("-c", "1"), 1.0f);
}

TEST(Searcher, GivesFuzzyTermsTheGreatestDocumentFrequencyOfAnyOfThem) {
  const Library library({"word", "word", "wort", "other"});
  // df 2 for both; N = 4, every dl = avgdl = 1. The misspelling is worth 1 - 1/4 of the word.
  const double idf = std::log(1 + 2.5 / 2.5);
  EXPECT_NEAR(library.Score("word~1", "0"), idf / 2.2, 1e-6);
  EXPECT_NEAR(library.Score("word~1", "2"), 0.75 * idf / 2.2, 1e-6);
}

TEST(Searcher, PutsTheEarlierDocumentFirstAmongEquals) {
  const Library library({"x", "a", "a", "a b", "a", "a"});
  SearchOptions options;
  options.k = 3;
  const SearchResult result = library.Search("a", options);
  ASSERT_EQ(result.hits.size(), 3u);
  EXPECT_EQ(result.hits[0].id, "1");
  EXPECT_EQ(result.hits[1].id, "2");
  EXPECT_EQ(result.hits[2].id, "4");
  EXPECT_EQ(result.total, 5u);
  EXPECT_TRUE(result.total_exact);
}

TEST(Searcher, GivesHitsWhoseIdsOutliveTheIndex) {
  SearchResult copy;
  {
    const Library library({"a", "b", "a"});
    const SearchResult result = library.Search("a", {});
    copy = result;
  }
  ASSERT_EQ(copy.hits.size(), 2u);
  EXPECT_EQ(*copy.id_bytes, "02");
  EXPECT_EQ(copy.hits[0].id.data(), copy.id_bytes->data());
  EXPECT_EQ(copy.hits[1].id.data(), copy.id_bytes->data() + 1);
  EXPECT_EQ(copy.hits[1].id.size(), 1u);
}

TEST(Searcher, OnlyCountsForAKOfZero) {
  const Library library({"a", "b", "a b"});
  SearchOptions options;
  options.k = 0;
  options.count = true;
  for (const std::string_view query : {"a", "a OR a", "a*", "-b*^2"}) {
    const SearchResult result = library.Search(query, options);
    EXPECT_TRUE(result.hits.empty());
    EXPECT_EQ(result.total, query == "-b*^2" ? 1u : 2u) << query;
  }
}

TEST(Searcher, RefusesAPhraseWithoutPositions) {
  const Library library({"a b", "c"}, AnalyzerKind::kStandard, 2, /*positions=*/false);
  const auto result = library.searcher().Search("\"a b\"", {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(result.status()).find("--positions off"), std::string_view::npos);
  EXPECT_EQ(library.Matches("\"a\""), "0");
}

TEST(Searcher, RefusesATreeThatIsTooDeep) {
  const Library library({"a"});
  auto query = std::make_unique<Query>();
  query->kind = QueryKind::kAll;
  for (int i = 0; i < 1000; ++i) {
    auto outer = std::make_unique<Query>();
    outer->kind = QueryKind::kBoolean;
    outer->clauses.push_back({Occur::kMust, std::move(query)});
    query = std::move(outer);
  }
  const auto result = library.searcher().Search(*query, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Searcher, FindsNothingInAnEmptyIndex) {
  const Searcher searcher(Snapshot::Of({}, {}));
  for (const std::string_view query : {"a", "*", "-a", "body:a*", "\"a b\""}) {
    const auto result = searcher.Search(query, {});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->total, 0u);
  }
}

TEST(Searcher, PassesOnTheErrorsOfTheParser) {
  const Library library({"a"});
  const auto result = library.searcher().Search("(a", {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(result.status()).substr(0, 9), "column 1:");
}

TEST(Searcher, TakesTheFiftyNearestTermsForAFuzzyWord) {
  std::vector<std::string> bodies = {"word"};
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b : {'a', 'b', 'c'}) bodies.push_back(std::string("wo") + b + a);  // "r" replaced
  }
  const Library library(bodies);
  SearchOptions options;
  options.k = 1000;
  options.count = true;
  for (const bool exhaustive : {false, true}) {
    options.exhaustive = exhaustive;
    EXPECT_EQ(library.Search("wor~1", options).total, 4u);   // and woar, wobr, wocr
    EXPECT_EQ(library.Search("word~1", options).total, 4u);  // and woad, wobd, wocd
    const SearchResult far = library.Search("word~2", options);
    EXPECT_EQ(far.total, 50u);
    ASSERT_EQ(far.hits.size(), 50u);
    EXPECT_EQ(far.hits[0].id, "0");
    std::map<std::string, int> found;
    for (const Hit& hit : far.hits) ++found[bodies[hit.doc]];
    EXPECT_EQ(found.size(), 50u);
    EXPECT_TRUE(found.contains("wocd"));  // one edit
    EXPECT_TRUE(found.contains("wobv"));  // two edits, the 46th of them
    EXPECT_FALSE(found.contains("wobw"));
  }
}

TEST(Searcher, SaysWhenTheDeadlineCameFirst) {
  const Library library({"a b", "b c", "a c"});
  SearchOptions options;
  options.deadline = std::chrono::milliseconds(0);
  const SearchResult late = library.Search("a c", options);
  EXPECT_TRUE(late.timed_out);
  EXPECT_FALSE(late.total_exact);
  options.deadline = std::chrono::hours(1);
  const SearchResult timely = library.Search("a c", options);
  EXPECT_FALSE(timely.timed_out);
  EXPECT_EQ(timely.hits.size(), 3u);
}

TEST(Searcher, SaysSoWhenTheDeadlineCameWhileTermsWereExpanded) {
  const Library library({"a b", "b c", "a c"});
  SearchOptions options;
  options.deadline = std::chrono::milliseconds(0);
  for (const char* query : {"a*", "?", "c~1", "+a -b*", "a -b~1", "(a +(b c*)) c"}) {
    for (const bool exhaustive : {false, true}) {
      options.exhaustive = exhaustive;
      for (const size_t k : {size_t{0}, size_t{10}}) {
        options.k = k;
        options.count = k == 0;
        const SearchResult late = library.Search(query, options);
        EXPECT_TRUE(late.timed_out) << query;
        EXPECT_FALSE(late.total_exact) << query;
        EXPECT_TRUE(late.hits.empty()) << query;
      }
    }
  }
}

TEST(Searcher, CountsWhatItDoesNotScore) {
  const Library library({"a b", "b c", "a c", "a", "a"});
  SearchOptions options;
  options.k = 1;
  EXPECT_FALSE(library.Search("a b", options).total_exact);
  EXPECT_TRUE(library.Search("a", options).total_exact);  // a term's count is written down
  options.count = true;
  const SearchResult counted = library.Search("a b", options);
  EXPECT_TRUE(counted.total_exact);
  EXPECT_EQ(counted.total, 5u);
  EXPECT_EQ(library.Search("\"a b\"", options).total, 1u);
}

TEST(Searcher, GivesTheSameOnSeveralThreads) {
  std::vector<std::string> bodies;
  for (int i = 0; i < 60; ++i) {
    bodies.push_back("a" + std::string(static_cast<size_t>(1 + i % 7), 'b') + " " +
                     (i % 3 == 0 ? "red pear" : "red apple red") + (i % 5 == 0 ? " tree" : ""));
  }
  const Library library(bodies);  // thirty segments, which the threads take in turn
  for (const char* query :
       {"red tree", "+red +tree", "\"red apple\"", "red -tree", "ab* pear", "red"}) {
    SearchOptions options;
    options.count = true;
    const SearchResult alone = library.Search(query, options);
    options.threads = 3;
    options.least_parallel_postings = 0;
    for (int i = 0; i < 20; ++i) {
      const SearchResult together = library.Search(query, options);
      ASSERT_EQ(together.total, alone.total) << query;
      ASSERT_EQ(together.hits.size(), alone.hits.size());
      for (size_t j = 0; j < alone.hits.size(); ++j) {
        EXPECT_EQ(together.hits[j].doc, alone.hits[j].doc) << query;
        EXPECT_EQ(together.hits[j].score, alone.hits[j].score) << query;
      }
    }
  }
}

TEST(Searcher, RefusesQueriesAboveACostAndStillPlansThem) {
  const Library library({"apple pear", "apple fig", "pear fig", "apple pear fig"});
  SearchOptions options;
  options.most_cost = 2;
  options.plan = true;
  const auto cheap = library.searcher().Search("+apple +nowhere", options);
  ASSERT_TRUE(cheap.ok()) << cheap.status();
  EXPECT_TRUE(cheap->plan.has_value());
  for (const char* heavy : {"apple pear fig", "app*", "appel~1", "/a.*/", "+apple +(fig pe?r)"}) {
    EXPECT_TRUE(absl::IsOutOfRange(library.searcher().Search(heavy, options).status())) << heavy;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(library.searcher().Search("(", options).status()));
}

// Stands still, and jumps once after it was asked a number of times.
class JumpingClock final : public DeadlineClock {
 public:
  explicit JumpingClock(int calls) : calls_left_(calls) {}
  TimePoint Now() const override {
    return calls_left_-- > 0 ? TimePoint() : TimePoint(std::chrono::seconds(1));
  }

 private:
  mutable int calls_left_;
};

TEST(Searcher, AnswersPatternsWithinTheTimeOfTheCost) {
  const Library library({"apple pear", "apple fig", "pear fig", "apple pear fig"});
  SearchOptions options;
  options.most_cost = 100'000;
  for (const char* pattern : {"app*", "/a.*/", "+apple +(fig pe?r)", "pe?r"}) {
    const JumpingClock in_time(1'000'000);
    options.clock = &in_time;
    const auto answer = library.searcher().Search(pattern, options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_FALSE(answer->timed_out);
    EXPECT_EQ(answer->hits.size(), library.Search(pattern).hits.size());
    EXPECT_FALSE(answer->hits.empty());
    const JumpingClock too_late(3);
    options.clock = &too_late;
    EXPECT_TRUE(absl::IsOutOfRange(library.searcher().Search(pattern, options).status()));
  }
  const JumpingClock in_time(1'000'000);
  options.clock = &in_time;
  EXPECT_TRUE(absl::IsOutOfRange(library.searcher().Search("appel~1", options).status()));
}

TEST(Searcher, AnswersIdsAtALowCostOnceTheirTableIsThere) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (int i = 0; i < 9; ++i) reference.Add({std::to_string(i), {{"body", "a"}}});
  const auto snapshot = reference.BuildSnapshot(3, /*positions=*/true, /*store_text=*/true);
  const Searcher searcher(snapshot);
  Query ids;
  ids.kind = QueryKind::kIds;
  ids.terms = {"7", "2"};
  SearchOptions options;
  options.most_cost = 100;
  EXPECT_FALSE(snapshot->HasIdTable());
  EXPECT_TRUE(absl::IsOutOfRange(searcher.Search(ids, options).status()));
  EXPECT_EQ(searcher.Search(ids, {})->hits.size(), 2u);
  EXPECT_TRUE(snapshot->HasIdTable());
  EXPECT_EQ(searcher.Search(ids, options)->hits.size(), 2u);
}

}  // namespace searcher_test
}  // namespace pmdex
