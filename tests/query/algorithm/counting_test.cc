// Counts without scores against the exhaustive search, in each way that a plan may say.
#include "query/algorithm/counting.h"

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace counting_test {

class CountingTest : public WindowedIndexTest<testing::Test, 9000, 300> {
 protected:
  static SearchPlan PlanCount(const QueryBinding& binding) {
    PlanOptions options;
    options.k = 0;
    return PlanSearch(binding, options);
  }
};

constexpr const char* kQueries[] = {"body:t0",
                                    "*:*",
                                    "body:t0 body:t3",
                                    "+body:t0 +title:t9 body:t1",
                                    "body:t2 -body:t0",
                                    "body:\"t0 t1\"",
                                    "body:t1* title:t4",
                                    "+(body:t1 body:t2) +(title:t1 title:t2)",
                                    "title:t9 body:t0",
                                    "body:t5 title:t11 body:\"t0 t1\" title:t4",
                                    "body:t0 body:t0",
                                    "+title:t11 +body:t0",
                                    "+title:t11 +title:t8"};

TEST_F(CountingTest, EqualsTheOracle) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      const QueryBinding binding = Bind(text);
      const SearchPlan plan = PlanCount(binding);
      const auto count = CountMatches({binding, plan});
      const auto expected = SearchExhaustively(binding, 0);
      ASSERT_TRUE(count.ok() && expected.ok());
      EXPECT_EQ(count->count, expected->total) << text;
      EXPECT_FALSE(count->timed_out);
    }
  });
}

// Lists of every length beside each other, and beside terms that have bits.
TEST_F(CountingTest, EqualsTheOracleForEitherOfTwoTerms) {
  WithEveryDeletions([&] {
    for (int a = 0; a < 12; ++a) {
      for (int b = 0; b < 12; ++b) {
        const std::string text = absl::StrCat("body:t", a, b % 2 == 0 ? " body:t" : " title:t", b);
        const QueryBinding binding = Bind(text);
        const SearchPlan plan = PlanCount(binding);
        const auto count = CountMatches({binding, plan});
        ASSERT_TRUE(count.ok());
        EXPECT_EQ(count->count, SearchExhaustively(binding, 0)->total) << text;
      }
    }
  });
}

TEST_F(CountingTest, CountsTheSameWithoutStatistics) {
  for (const char* text : {"body:t0", "*:*", "title:t11"}) {
    const QueryBinding binding = Bind(text);
    SearchPlan plan = PlanCount(binding);
    ASSERT_EQ(plan.count, CountMethod::kFromStatistics);
    plan.count = CountMethod::kSeparately;
    EXPECT_EQ(CountMatches({binding, plan})->count, SearchExhaustively(binding, 0)->total) << text;
  }
}

TEST_F(CountingTest, DoesNotBelieveADictionaryThatCountsDeletedDocuments) {
  UseDeletions(Deletions::kFifth);
  const QueryBinding term = Bind("body:t0");
  EXPECT_EQ(PlanCount(term).count, CountMethod::kSeparately);
  EXPECT_TRUE(PlanCount(term).reads_lists);
  EXPECT_EQ(PlanCount(Bind("*:*")).count, CountMethod::kFromStatistics);
  PlanOptions options;
  options.count_limit = 1;
  const SearchPlan plan = PlanSearch(term, options);
  EXPECT_LE(plan.least_matches, SearchExhaustively(term, 0)->total);
  EXPECT_GT(plan.least_matches, 0u);
  UseDeletions(Deletions::kAll);
  EXPECT_EQ(PlanSearch(Bind("body:t0"), options).least_matches, 0u);
}

TEST_F(CountingTest, CountsNothingWhereNothingCanMatch) {
  const QueryBinding binding = Bind("body:nowhere");
  const SearchPlan plan = PlanCount(binding);
  EXPECT_EQ(CountMatches({binding, plan})->count, 0u);
}

TEST_F(CountingTest, CountsTheClausesThatAreOpen) {
  WithEveryDeletions([&] {
    uint64_t total = 0;
    const QueryBinding binding = Bind("+body:t0 -title:t1 body:t3");
    const SearchPlan plan = PlanCount(binding);
    const SearchContext search{binding, plan};
    for (size_t i = 0; i < 2; ++i) {
      SegmentContext segment = SegmentContextOf(search, i);
      const auto query = OpenClauses(plan.clauses, segment);
      ASSERT_TRUE(query.ok());
      total += CountOpen(*query, PlanSegmentSearch(plan, query->Describe()), segment).count;
      EXPECT_TRUE(segment.cursor.damage.ok());
    }
    EXPECT_EQ(total, SearchExhaustively(binding, 0)->total);
  });
}

TEST_F(CountingTest, EndsAtTheDeadline) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const SearchPlan plan = PlanCount(binding);
  const Deadline over = std::chrono::steady_clock::time_point::min();
  const auto count = CountMatches({binding, plan, BestQueryKernels(), over});
  ASSERT_TRUE(count.ok());
  EXPECT_TRUE(count->timed_out);
}

}  // namespace counting_test
}  // namespace pmdex
