#include "query/planning/query_cost.h"

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

TEST_F(QueryCost, OfStatisticsIsNothing) {
  PlanOptions only_count;
  only_count.k = 0;
  only_count.count = true;
  EXPECT_EQ(CostOf("body:t0", only_count), 0u);
}

}  // namespace query_cost_test
}  // namespace pmdex
