// Tests how a search keeps its deadline, with a clock that advances whenever it is read: how much
// work is done between two reads, and that the hits of a search that timed out are right.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "query/result/sort_keys.h"
#include "query/searcher.h"
#include "tests/support/effort.h"
#include "tests/support/random_tree.h"
#include "tests/support/reference_index.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace searcher_deadline_test {

// A clock that is one millisecond later at every read.
class TickingClock final : public DeadlineClock {
 public:
  TimePoint Now() const override { return TimePoint() + std::chrono::milliseconds(looks_++); }
  uint64_t looks() const { return looks_; }

 private:
  mutable uint64_t looks_ = 0;
};

constexpr uint64_t kForEver = 1'000'000'000;

struct Outcome {
  SearchResult result;
  uint64_t looks = 0;
};

// query: a text or a tree.
template <typename Q>
Outcome SearchFor(const Searcher& searcher, const Q& query, SearchOptions options,
                  uint64_t milliseconds) {
  const TickingClock clock;
  options.deadline = std::chrono::milliseconds(milliseconds);
  options.clock = &clock;
  auto result = searcher.Search(query, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return {result.ok() ? *std::move(result) : SearchResult(), clock.looks()};
}

class SearcherDeadline : public WindowedIndexTest<testing::Test, 40000, 300, 4096 * 2> {
 protected:
  void SetUp() override { searcher_ = std::make_unique<Searcher>(snapshot_); }

  std::unique_ptr<Searcher> searcher_;
};

constexpr const char* kQueries[] = {"body:t0",         "body:t9",
                                    "body:t0 body:t1", "+body:t0 +title:t1",
                                    "+t9 +t0",         "t1 t2 t3 -t0",
                                    "(+t1 +t2) t3",    "\"t1 t2\"",
                                    "\"t1 t2\"~3",     "t1*",
                                    "body:*",          "*:* -t1",
                                    "+t1* +t0 -t2",    "t1~1",
                                    "body:/t[0-5]/",   "+body:t0 +body:t1 +body:t2",
                                    "(+t1 -t2)^2 t5",  "+*:* +t1* -title:*"};

TEST_F(SearcherDeadline, IsLookedAtOnceForSoManyDocuments) {
  constexpr uint64_t kMostPostings = 16384;  // between two looks
  SearchOptions options;
  for (const char* text : {"body:t0", "body:t1", "title:t0"}) {
    for (const size_t k : {size_t{10}, size_t{3000}, size_t{100000}}) {
      for (const bool exhaustive : {false, true}) {
        options.k = k;
        options.exhaustive = exhaustive;
        const Outcome outcome = SearchFor(*searcher_, text, options, kForEver);
        // The bounds of the blocks may exclude all but a few of them.
        const bool skips = !exhaustive && k < 3000;
        const uint64_t postings = skips ? 1 : outcome.result.total;
        EXPECT_GE(outcome.looks, postings / kMostPostings) << text << " " << k;
        EXPECT_FALSE(outcome.result.timed_out);
      }
    }
  }
  options.k = 0;
  options.exhaustive = false;
  options.count = true;
  for (const char* text : {"t0 t1", "+t0 +t1", "\"t1 t2\""}) {
    EXPECT_GE(SearchFor(*searcher_, text, options, kForEver).looks, 48000u / kMostPostings) << text;
  }
}

TEST_F(SearcherDeadline, IsLookedAtWhileHitsAreNamed) {
  constexpr uint64_t kMostHits = 32;  // between two looks
  SearchOptions options;
  options.k = 100000;
  const Outcome whole = SearchFor(*searcher_, "body:t0", options, kForEver);
  ASSERT_GT(whole.result.hits.size(), 30000u);
  EXPECT_GE(whole.looks, whole.result.hits.size() / kMostHits);
  const Outcome cut = SearchFor(*searcher_, "body:t0", options, whole.looks - 100);
  EXPECT_TRUE(cut.result.timed_out);
  ASSERT_LT(cut.result.hits.size(), whole.result.hits.size());
  ASSERT_GT(cut.result.hits.size(), whole.result.hits.size() - 200 * kMostHits);
  for (size_t i = 0; i < cut.result.hits.size(); ++i) {
    ASSERT_EQ(cut.result.hits[i].id, whole.result.hits[i].id);
    ASSERT_EQ(cut.result.hits[i].score, whole.result.hits[i].score);
  }
}

TEST_F(SearcherDeadline, IsKeptBySortedSearchesOfManyHits) {
  SearchOptions options;
  options.k = 100000;
  std::map<uint64_t, float> scores;
  for (const Hit& hit : SearchFor(*searcher_, "body:t0", options, kForEver).result.hits) {
    scores[hit.doc] = hit.score;
  }
  for (const char* keys : {"_doc:desc", "_score,_doc"}) {
    options.sort = *ParseSortKeys(keys);
    const Outcome whole = SearchFor(*searcher_, "body:t0", options, kForEver);
    ASSERT_EQ(whole.result.hits.size(), scores.size());
    const bool descending = keys[1] == 'd';
    for (uint64_t at = 1; at + 40 < whole.looks; at += whole.looks / 50) {
      const Outcome cut = SearchFor(*searcher_, "body:t0", options, at);
      ASSERT_TRUE(cut.result.timed_out) << keys << " " << at;
      // Taking the candidates has some looks, and each document that was kept is allowed for.
      ASSERT_LE(cut.looks, at + 100) << keys << " " << at;
      const std::vector<Hit>& hits = cut.result.hits;
      for (size_t i = 0; i < hits.size(); ++i) {
        ASSERT_EQ(scores.at(hits[i].doc), hits[i].score) << keys << " " << at;
        if (i == 0) continue;
        const bool in_order =
            descending ? hits[i - 1].doc > hits[i].doc : hits[i - 1].score >= hits[i].score;
        ASSERT_TRUE(in_order) << keys << " " << at;
      }
    }
  }
}

// Wherever the deadline comes, the answer only has documents that match, with their scores, in
// order.
TEST_F(SearcherDeadline, LeavesARightAnswerWheneverItComes) {
  SearchOptions options;
  options.k = 2000;
  for (const char* text : kQueries) {
    SearchOptions all;
    all.k = 100000;
    all.exhaustive = true;
    std::map<uint64_t, float> scores;
    const Outcome everything = SearchFor(*searcher_, text, all, kForEver);
    for (const Hit& hit : everything.result.hits) scores[hit.doc] = hit.score;
    for (const bool exhaustive : {false, true}) {
      for (const bool count : {false, true}) {
        options.exhaustive = exhaustive;
        options.count = count;
        const Outcome whole = SearchFor(*searcher_, text, options, kForEver);
        ASSERT_FALSE(whole.result.timed_out) << text;
        ASSERT_GT(whole.looks, 2u) << text;
        const uint64_t step = std::max<uint64_t>(1, whole.looks / 5);
        for (uint64_t at = 0; at + 4 < whole.looks; at += step) {
          SCOPED_TRACE(text + std::string(", ") + std::to_string(at));
          const Outcome cut = SearchFor(*searcher_, text, options, at);
          ASSERT_TRUE(cut.result.timed_out);
          ASSERT_LE(cut.looks, at + 30);  // soon
          ASSERT_LE(cut.result.total, scores.size());
          ASSERT_TRUE(std::is_sorted(
              cut.result.hits.begin(), cut.result.hits.end(), [](const Hit& a, const Hit& b) {
                return a.score != b.score ? a.score > b.score : a.doc < b.doc;
              }));
          for (const Hit& hit : cut.result.hits) {
            ASSERT_TRUE(scores.contains(hit.doc));
            ASSERT_EQ(hit.score, scores[hit.doc]);
          }
        }
      }
    }
  }
}

TEST_F(SearcherDeadline, LeavesARightAnswerToTreesOfEveryKind) {
  SeededRandom random(17);
  const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
  const std::vector<std::string> fields = {"body", "title"};
  const auto leaf = [&]() -> QueryPointer {
    auto query = *QueryParser(*analyzer, fields).Parse(kQueries[random.Below(18)]);
    return query->kind == QueryKind::kPhrase ? ToPhrasePrefix(random, std::move(query))
                                             : std::move(query);
  };
  const auto id = [&] { return "d1-" + std::to_string(random.Below(40000)); };
  size_t cuts = 0;
  for (int i = 0; i < Rounds(40); ++i) {
    const QueryPointer query = RandomTree(random, 2, leaf, id);
    SCOPED_TRACE(ToString(*query));
    SearchOptions options;
    options.k = 100000;
    options.exhaustive = true;
    std::map<uint64_t, float> scores;
    const Outcome all = SearchFor(*searcher_, *query, options, kForEver);
    for (const Hit& hit : all.result.hits) scores[hit.doc] = hit.score;
    options.k = 1 + random.Below(3000);
    options.exhaustive = random.OneIn(3);
    options.count_limit = random.Below(20000);
    const uint64_t looks = SearchFor(*searcher_, *query, options, kForEver).looks;
    for (uint64_t at = 0; at + 4 < looks; at += std::max<uint64_t>(1, looks / 5)) {
      const Outcome cut = SearchFor(*searcher_, *query, options, at);
      cuts += cut.result.timed_out ? 1 : 0;
      ASSERT_LE(cut.looks, at + 40);
      ASSERT_LE(cut.result.total, scores.size());
      for (const Hit& hit : cut.result.hits) {
        ASSERT_TRUE(scores.contains(hit.doc));
        ASSERT_EQ(hit.score, scores[hit.doc]);
      }
    }
  }
  EXPECT_GT(cuts, kIsSanitized ? 5u : 60u);
}

TEST(SearcherDeadlineOfText, CutsExplanationsAndSnippetsShort) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  std::string body = "apple pear";
  for (int i = 0; i < 30'000; ++i) body += i % 9 == 0 ? " apple" : " filling";
  for (int i = 0; i < 6; ++i) reference.Add({std::to_string(i), {{"body", body + " end"}}});
  const Searcher searcher(reference.BuildSnapshot(3, true, /*store_text=*/true));
  SearchOptions options;
  options.k = 6;
  options.explain = true;
  options.snippets = true;
  const Outcome whole = SearchFor(searcher, "apple e*", options, kForEver);
  ASSERT_EQ(whole.result.snippets.size(), 6u);
  ASSERT_EQ(whole.result.explanations.size(), 6u);
  constexpr uint64_t kLongestPiece = 128 << 10;  // of a text, between two looks
  EXPECT_GE(whole.looks, 6 * body.size() / kLongestPiece);
  bool some_but_not_all = false;
  for (uint64_t at = 3; at + 3 < whole.looks; at += 3) {
    const Outcome cut = SearchFor(searcher, "apple e*", options, at);
    ASSERT_TRUE(cut.result.timed_out) << at;
    ASSERT_LE(cut.looks, at + 30);
    ASSERT_LE(cut.result.snippets.size(), cut.result.hits.size());
    const size_t made = cut.result.snippets.size();
    some_but_not_all = some_but_not_all || (made > 0 && made < 6);
    for (size_t i = 0; i < made; ++i) {
      ASSERT_EQ(cut.result.snippets[i], whole.result.snippets[i]);
    }
    for (size_t i = 0; i < cut.result.explanations.size(); ++i) {
      ASSERT_EQ(cut.result.explanations[i].value, cut.result.hits[i].score);
    }
  }
  EXPECT_TRUE(some_but_not_all);
}

TEST(SearcherDeadlineOfText, IsLookedAtForTextInWhichNothingIsSought) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (int i = 0; i < 50; ++i) reference.Add({std::to_string(i), {{"body", "apple pear"}}});
  const Searcher searcher(reference.BuildSnapshot(50, true, /*store_text=*/true));
  SearchOptions options;
  options.k = 50;
  options.snippets = true;
  const Outcome whole = SearchFor(searcher, "*:*", options, kForEver);
  EXPECT_GE(whole.looks, 50u);
  const Outcome cut = SearchFor(searcher, "*:*", options, whole.looks - 20);
  EXPECT_TRUE(cut.result.timed_out);
  EXPECT_LT(cut.result.snippets.size(), 50u);
}

}  // namespace searcher_deadline_test
}  // namespace pmdex
