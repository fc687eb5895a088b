#include "query/planning/query_cost.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"

#include "query/planning/planner.h"
#include "query/searcher.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace query_cost_test {

class QueryCost : public WindowedIndexTest<testing::Test, 9000, 5000> {
 protected:
  static uint64_t CostOf(const std::string& text, const PlanOptions& options = {}) {
    const QueryBinding binding = Bind(text);
    return EstimateCost(PlanSearch(binding, options), *binding.snapshot);
  }
};

TEST_F(QueryCost, GrowsWithTheListsThatAreRead) {
  EXPECT_EQ(CostOf("body:nowhere"), 0u);
  EXPECT_LT(CostOf("body:t0"), CostOf("body:t0 body:t1"));
  EXPECT_LT(CostOf("body:t0 body:t1"), CostOf("body:t0 body:t1 body:t2"));
  EXPECT_LT(CostOf("+body:t0 +body:t1"), CostOf("body:\"t0 t1\""));
}

TEST_F(QueryCost, OfAConjunctionIsThatOfItsRarestTerm) {
  EXPECT_LE(CostOf("+body:t0 +body:t9"), CostOf("body:t0 body:t9"));
  PlanOptions counting;
  counting.count = true;
  EXPECT_EQ(CostOf("+body:t0 +body:t9", counting), CostOf("body:t0 body:t9", counting));
}

TEST_F(QueryCost, OfAFilterIsThatOfARequiredClause) {
  QueryBinding binding = Bind("+body:t0 +body:t9");
  const uint64_t required = EstimateCost(PlanSearch(binding, {}), *binding.snapshot);
  for (BoundClause& clause : binding.root->clauses) clause.occur = Occur::kFilter;
  EXPECT_EQ(EstimateCost(PlanSearch(binding, {}), *binding.snapshot), required);
}

TEST_F(QueryCost, OfAGroupIsThatOfItsClauses) {
  EXPECT_EQ(CostOf("body:t0 (+body:t8 +body:t9)"), CostOf("body:t0 body:t8 body:t9"));
  EXPECT_LT(CostOf("body:t0 (+body:t8 +body:t9)"), CostOf("body:t0 (+body:t8 +body:\"t8 t9\")"));
  EXPECT_LT(CostOf("body:t9 (+body:t8 +body:t9)"), CostOf("body:t9 (+body:t0 +body:t1)"));
}

TEST_F(QueryCost, OfAllDocumentsAndOfAFieldIsLessThanThatOfTheirPostings) {
  EXPECT_LT(CostOf("*:*"), CostOf("title:*"));
  EXPECT_LT(CostOf("title:*"), segment().doc_count() / 8);
}

// All terms of the field are in one block of each segment.
TEST_F(QueryCost, OfAPatternIsThatOfTheTermsThatItLooksAt) {
  EXPECT_GT(CostOf("body:t1*"), 0u);
  EXPECT_EQ(CostOf("body:t*"), CostOf("body:t?t"));
  EXPECT_LT(CostOf("body:t?1"), CostOf("body:t*"));  // signatures rule most terms out
  EXPECT_EQ(CostOf("body:t* title:t*"), CostOf("body:t*") + CostOf("title:t*"));
  EXPECT_EQ(CostOf("body:/t.*/"), 0u);
  EXPECT_LT(TimeOfCost(CostOf("body:t*")), std::chrono::milliseconds(1));
  EXPECT_GT(TimeOfCost(UINT64_MAX), std::chrono::minutes(1));
}

TEST_F(QueryCost, OfStatisticsIsNothing) {
  PlanOptions only_count;
  only_count.k = 0;
  only_count.count = true;
  EXPECT_EQ(CostOf("body:t0", only_count), 0u);
}

}  // namespace query_cost_test
}  // namespace pmdex
