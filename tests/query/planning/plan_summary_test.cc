#include "query/planning/plan_summary.h"

#include <array>
#include <string>

#include "gtest/gtest.h"

#include "query/planning/planner.h"
#include "query/planning/search_plan.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace plan_summary_test {

class PlanSummaryTest : public WindowedIndexTest<testing::Test, 500> {};

TEST_F(PlanSummaryTest, NamesWhatThePlannerChose) {
  const std::array segments = {Algorithm::kLeadList};
  PlanSummary summary;
  {
    const QueryBinding binding = Bind("+body:t3 t0 -(body:t4 body:t5)");
    summary = Summarize(PlanSearch(binding, {}), segments);
  }
  EXPECT_EQ(summary.algorithm, "max_score_windows");
  EXPECT_EQ(summary.count, "none");
  EXPECT_EQ(summary.threads, 1u);
  ASSERT_EQ(summary.clauses.size(), 3u);
  EXPECT_EQ(summary.clauses[0].occur, "must");
  EXPECT_EQ(summary.clauses[0].query, "body:t3");
  EXPECT_GT(summary.clauses[0].estimate, 0u);
  EXPECT_EQ(summary.clauses[1].occur, "should");
  EXPECT_EQ(summary.clauses[1].query, "(body:t0 title:t0)");
  EXPECT_EQ(summary.clauses[2].occur, "must_not");
  EXPECT_EQ(summary.clauses[2].query, "(body:t4 body:t5)");
  ASSERT_EQ(summary.segments.size(), 1u);
  EXPECT_EQ(summary.segments[0], "lead_list");
}

TEST_F(PlanSummaryTest, HasNoClausesWhereNothingCanMatch) {
  const QueryBinding binding = Bind("nowhere");
  const PlanSummary summary = Summarize(PlanSearch(binding, {}), {});
  EXPECT_EQ(summary.algorithm, "none");
  EXPECT_EQ(summary.count, "from_statistics");
  EXPECT_TRUE(summary.clauses.empty());
}

}  // namespace plan_summary_test
}  // namespace pmdex
