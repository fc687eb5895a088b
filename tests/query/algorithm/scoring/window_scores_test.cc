#include "query/algorithm/scoring/window_scores.h"

#include <chrono>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/flat_query.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace window_scores_test {

constexpr uint32_t kDocs = 20000;

class WindowScoresTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  OpenQuery Open(const QueryBinding& binding, uint32_t minimum_should_match = 0) {
    auto query = OpenClauses(Flatten(*binding.root), context_, minimum_should_match);
    EXPECT_TRUE(query.ok()) << query.status();
    return *std::move(query);
  }
  // Searches all windows, each for its minimum competitive score.
  std::vector<ScoredDoc> Search(const OpenQuery& query, size_t k) {
    TopK top(k);
    const RankingContext ranking{context_, query, top};
    WindowScores scores(ranking);
    for (const ScoringLeaf& leaf : query.scoring_leaves()) leaf.leaf->PrepareBounds();
    for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
      std::vector<float> bounds;
      for (const ScoringLeaf& leaf : query.scoring_leaves()) {
        bounds.push_back(leaf.leaf->Bound(window));
      }
      scores.Search(window, bounds, ranking.MinCompetitiveScore(window * kWindowDocs));
    }
    scored_ = scores.scored();
    return top.Take();
  }

  uint64_t scored_ = 0;
  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           0,
                          BestQueryKernels(), expansions_, {kDocs, "segment", absl::OkStatus()}};
};

// Single leaves, clauses of one sum and of several, and prohibited clauses of every kind.
constexpr const char* kQueries[] = {
    "body:t0",
    "body:t3 body:t4 title:t2 body:t11 title:t11",
    "(body:t1 body:t4 body:t5 title:t3)",
    "(body:t1 body:t4) body:t6 (title:t2 title:t4 body:t8)",
    "((body:t1 body:t3) (body:t4 body:t5) body:t6) body:t0 title:t7",
    "+(body:t2 body:t5 body:t7)",
    "body:t2 body:t5 -body:t1",
    "body:t2 (body:t5 title:t0) -(title:t1 body:t3) -body:\"t0 t1\"",
    "+(body:t9 (body:t10 title:t9)) -body:t4*",
    "body:t1^0.001 body:t4^100 (body:t5^7 title:t2^0.3)",
};

TEST_F(WindowScoresTest, EqualTheOracle) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    for (const char* text : kQueries) {
      for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
        SCOPED_TRACE(text);
        const QueryBinding binding = Bind(text, similarity);
        for (const size_t k : {size_t{1}, size_t{10}, size_t{1000}, size_t{kDocs}}) {
          const OpenQuery query = Open(binding);
          ASSERT_TRUE(WindowScores::CanSearch(query));
          const auto expected = SearchExhaustively(binding, k);
          ASSERT_TRUE(expected.ok());
          ASSERT_NO_FATAL_FAILURE(ExpectSame(Search(query, k), expected->docs));
          EXPECT_LE(scored_, expected->total);
        }
      }
    }
    EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
  });
}

TEST_F(WindowScoresTest, AddFewMoreDocumentsThanTheTopHolds) {
  const QueryBinding binding = Bind("body:t0 body:t1 body:t2 title:t0");
  const OpenQuery query = Open(binding);
  EXPECT_EQ(Search(query, 10).size(), 10u);
  EXPECT_LT(scored_, kDocs / 3u);  // most of them in the first window
}

TEST_F(WindowScoresTest, SearchOnlyWhatMatchesByAnyTerm) {
  for (const char* text : {"+body:t0 body:t1", "+body:t0 +body:t1", "body:t0 body:\"t1 t2\"",
                           "body:t0 body:t1*", "body:t0 (+body:t1 +body:t2)", "-body:t0"}) {
    const QueryBinding binding = Bind(text);
    EXPECT_FALSE(WindowScores::CanSearch(Open(binding))) << text;
  }
  const QueryBinding binding = Bind("body:t0 body:t1 body:t2");
  EXPECT_FALSE(WindowScores::CanSearch(Open(binding, 2)));
}

TEST_F(WindowScoresTest, AddNothingOnceTheDeadlineHasCome) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const OpenQuery query = Open(binding);
  context_.cursor.deadline = std::chrono::steady_clock::time_point::min();
  context_.cursor.work_left = 0;
  EXPECT_TRUE(Search(query, 10).empty());
  EXPECT_TRUE(context_.cursor.timed_out);
}

}  // namespace window_scores_test
}  // namespace pmdex
