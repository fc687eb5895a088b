// MaxScore over windows against the exhaustive search, whatever the order of the windows.
#include "query/algorithm/window_search.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/flat_query.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace window_search_test {

constexpr uint32_t kDocs = 30000;
constexpr const char* kQueries[] = {"body:t0 body:t3",
                                    "body:t1 body:t4 title:t2",
                                    "+body:t0 +body:t2",
                                    "+body:t1 body:t5 title:t0",
                                    "+(body:t3 body:t6) -title:t1 body:t0",
                                    "body:\"t0 t1\" body:t4",
                                    "(+body:t0 +body:t1) body:t7",
                                    "body:t2 body:t1*",
                                    "body:t0 body:t1 body:t2 body:t3 body:t4 body:t5 body:t6 "
                                    "body:t7 body:t8 body:t9 body:t10 body:t11 title:t0 title:t4",
                                    "+(body:t0 body:t1 body:t3 body:t4 body:t5 body:t6 body:t7 "
                                    "body:t8 body:t9 body:t10 body:t11) title:t2",
                                    "body:t0 body:t1 body:t3 body:t4 body:t5 body:t6 body:t7 "
                                    "body:t8 body:t9 body:\"t0 t2\" body:t11"};

class WindowSearchTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  OpenQuery Open(const QueryBinding& binding) {
    auto query = OpenClauses(Flatten(*binding.root), context_);
    EXPECT_TRUE(query.ok()) << query.status();
    return *std::move(query);
  }

  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           0,
                          BestQueryKernels(), expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_F(WindowSearchTest, EqualsTheOracleInAnyOrderOfTheWindows) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 1000}) {
        const auto expected = SearchExhaustively(binding, k);
        ASSERT_TRUE(expected.ok());
        for (const bool forward : {true, false}) {
          const OpenQuery query = Open(binding);
          TopK top(k);
          WindowSearch search({context_, query, top});
          const auto windows = static_cast<uint32_t>(search.bounds().size());
          for (uint32_t i = 0; i < windows; ++i) {
            const uint32_t window = forward ? i : windows - 1 - i;
            search.Search(window, search.MinCompetitiveScore(window));
            if (!forward) search.Finish();  // windows ascend between two calls of Finish
          }
          search.Finish();
          EXPECT_LE(search.scored(), expected->total);
          ASSERT_NO_FATAL_FAILURE(ExpectSame(top.Take(), expected->docs));
        }
      }
    }
    EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
  });
}

TEST_F(WindowSearchTest, BoundsTheScoresOfEveryWindow) {
  for (const char* text : kQueries) {
    SCOPED_TRACE(text);
    const QueryBinding binding = Bind(text);
    const OpenQuery query = Open(binding);
    TopK top(1);
    const WindowSearch search({context_, query, top});
    const auto all = SearchExhaustively(binding, kDocs);
    ASSERT_TRUE(all.ok());
    for (const ScoredDoc& doc : all->docs) {
      ASSERT_LE(doc.score, search.bounds()[doc.doc / kWindowDocs]);
    }
  }
}

TEST_F(WindowSearchTest, FindsAtLeastWhatReachesTheMinimumScore) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    const QueryBinding binding = Bind("body:t0 body:t3 title:t1");
    const auto all = SearchExhaustively(binding, kDocs);
    ASSERT_TRUE(all.ok());
    for (const size_t rank : {size_t{5}, size_t{100}, size_t{2000}}) {
      if (rank >= all->docs.size()) continue;
      const float min_score = all->docs[rank].score;
      const OpenQuery query = Open(binding);
      TopK top(kDocs);
      WindowSearch search({context_, query, top});
      for (uint32_t i = 0; i < search.bounds().size(); ++i) search.Search(i, min_score);
      search.Finish();
      const std::vector<ScoredDoc> found = top.Take();
      size_t expected = rank + 1;
      while (expected < all->docs.size() && all->docs[expected].score == min_score) ++expected;
      ASSERT_GE(found.size(), expected);
      for (size_t i = 0; i < expected; ++i) ASSERT_EQ(found[i].doc, all->docs[i].doc) << i;
    }
  });
}

TEST_F(WindowSearchTest, ScoresEveryMatchWhenToldTo) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    const QueryBinding binding = Bind("body:\"t0 t1\"");
    const OpenQuery query = Open(binding);
    TopK top(3);
    WindowSearch search({context_, query, top, /*scores_all=*/true});
    EXPECT_EQ(search.MinCompetitiveScore(0), -std::numeric_limits<float>::infinity());
    for (uint32_t i = 0; i < search.bounds().size(); ++i) {
      search.Search(i, search.MinCompetitiveScore(i));
    }
    search.Finish();
    EXPECT_EQ(search.scored(), SearchExhaustively(binding, 3)->total);
  });
}

TEST_F(WindowSearchTest, HasNoBoundsOnceTheDeadlineHasCome) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const OpenQuery query = Open(binding);
  context_.cursor.deadline = std::chrono::steady_clock::time_point::min();
  context_.cursor.work_left = 0;
  TopK top(3);
  const WindowSearch search({context_, query, top});
  EXPECT_TRUE(context_.cursor.timed_out);
  EXPECT_TRUE(search.bounds().empty());
}

}  // namespace window_search_test
}  // namespace pmdex
