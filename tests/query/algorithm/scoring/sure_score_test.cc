// The sure score against the scores of the exhaustive search, with and without deletions.
#include "query/algorithm/scoring/sure_score.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/algorithm/pruned_search.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace sure_score_test {

constexpr float kNotKnown = -std::numeric_limits<float>::infinity();

class SureScoreTest : public WindowedIndexTest<testing::Test, 9000, 40, 3000> {
 protected:
  static float SureScoreOf(const QueryBinding& binding, const PlanOptions& options) {
    const SearchPlan plan = PlanSearch(binding, options);
    const auto sure = FindSureScore({binding, plan});
    EXPECT_TRUE(sure.ok()) << sure.status();
    return sure.value_or(kNotKnown);
  }
  static float SureScoreOf(const std::string& text, size_t k = 10) {
    PlanOptions options;
    options.k = k;
    const QueryBinding binding = Bind(text);
    return SureScoreOf(binding, options);
  }
};

constexpr const char* kQueries[] = {"body:t0",
                                    "body:t4",
                                    "body:t0 body:t3 title:t9",
                                    "+body:t1 title:t2^3",
                                    "t0 t1",
                                    "+(t2 t3) t0",
                                    "body:t2^0.5 body:\"t0 t1\"",
                                    "title:t1 (body:t5 body:t6)",
                                    "+body:t0 -body:t1",
                                    "body:t3 body:t7"};

TEST_F(SureScoreTest, IsReachedByAsManyDocumentsAsAreWanted) {
  size_t known = 0;
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
        const QueryBinding binding = Bind(text, similarity);
        for (const size_t k : {1, 7, 10, 11, 100, 900, 2000}) {
          SCOPED_TRACE(std::string(text) + ", k = " + std::to_string(k));
          PlanOptions options;
          options.k = k;
          const float sure = SureScoreOf(binding, options);
          if (sure == kNotKnown) continue;
          ++known;
          const auto best = SearchExhaustively(binding, k);
          ASSERT_TRUE(best.ok());
          ASSERT_EQ(best->docs.size(), k);
          EXPECT_GE(best->docs.back().score, sure);
        }
      }
    }
  });
  EXPECT_GT(known, 100u);
}

TEST_F(SureScoreTest, ChangesNoHit) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 100}) {
        for (const size_t threads : {1, 3}) {
          PlanOptions options;
          options.k = k;
          options.threads = threads;
          options.least_parallel_postings = 0;
          options.windows_per_range = 1;
          const SearchPlan plan = PlanSearch(binding, options);
          const auto found = SearchPruned({binding, plan});
          const auto expected = SearchExhaustively(binding, k);
          ASSERT_TRUE(found.ok() && expected.ok());
          ExpectSame(found->docs, expected->docs);
        }
      }
    }
  });
}

TEST_F(SureScoreTest, IsTheBestPointOfALongList) {
  EXPECT_GT(SureScoreOf("body:t0", 1), SureScoreOf("body:t0", 10));
  EXPECT_EQ(SureScoreOf("body:t0", 5), SureScoreOf("body:t0", 10)) << "the next point";
  EXPECT_EQ(SureScoreOf("body:t0", 1001), kNotKnown);
  EXPECT_GE(SureScoreOf("body:t0 body:t3"), SureScoreOf("body:t0"));
  EXPECT_EQ(SureScoreOf("+body:t0 title:t3"), SureScoreOf("body:t0")) << "t3 adds nothing for sure";
}

TEST_F(SureScoreTest, IsNotKnownWhereADocumentOfTheListMayBeNoHit) {
  for (const char* text :
       {"+body:t0 +body:t1", "body:t0 -body:t9", "body:\"t0 t1\"", "*:*", "-body:t0"}) {
    EXPECT_EQ(SureScoreOf(text), kNotKnown) << text;
  }
  const QueryBinding binding = Bind("body:t0");
  PlanOptions options;
  options.limits.after = ScoredDoc{5, 1.0f};
  EXPECT_EQ(SureScoreOf(binding, options), kNotKnown) << "hits of an earlier page are none here";
}

TEST_F(SureScoreTest, CountsDeletedDocumentsAsNoHits) {
  UseDeletions(Deletions::kNone);
  const float all_live = SureScoreOf("body:t0");
  WithEveryDeletions([&] { EXPECT_LE(SureScoreOf("body:t0"), all_live); });
}

TEST_F(SureScoreTest, IsLessThanTheLikelyOneWithDeletionsOnly) {
  const auto likely_of = [](const QueryBinding& binding, size_t k) {
    PlanOptions options;
    options.k = k;
    const SearchPlan plan = PlanSearch(binding, options);
    const auto likely = FindLikelyScore({binding, plan});
    EXPECT_TRUE(likely.ok()) << likely.status();
    return likely.value_or(kNotKnown);
  };
  size_t known = 0;
  size_t reached = 0;
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 7, 10, 100, 900}) {
        const float likely = likely_of(binding, k);
        if (likely == kNotKnown) continue;
        ++known;
        const auto best = SearchExhaustively(binding, k);
        ASSERT_TRUE(best.ok());
        if (best->docs.size() == k && best->docs.back().score >= likely) ++reached;
      }
    }
  });
  EXPECT_GT(known, 20u);
  EXPECT_GT(reached, known / 2) << "of " << known;
  UseDeletions(Deletions::kNone);
  EXPECT_EQ(likely_of(Bind("body:t0"), 10), kNotKnown);
  EXPECT_EQ(likely_of(Bind("body:t0"), 100'000), kNotKnown);
}

}  // namespace sure_score_test
}  // namespace pmdex
