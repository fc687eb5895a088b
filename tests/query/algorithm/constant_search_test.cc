#include "query/algorithm/constant_search.h"

#include <string>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "tests/support/planned_search.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace constant_search_test {

class ConstantSearch : public WindowedIndexTest<testing::Test, 40000, 300, 4096 * 2> {
 protected:
  static PlanOptions OptionsFor(size_t k) {
    PlanOptions options;
    options.k = k;
    return options;
  }
};

constexpr const char* kConstantQueries[] = {"body:t1*",      "body:t?", "body:t1?^0", "title:*",
                                            "title:t9*^2.5", "*:*",     "body:t11*",  "title:t7*"};

TEST_F(ConstantSearch, EqualsTheOracle) {
  WithEveryDeletions([&] {
    for (const char* text : kConstantQueries) {
      for (const size_t k : {1, 10, 137, 3000, 41000, 100000}) {
        SCOPED_TRACE(text + std::string(", ") + std::to_string(k));
        const QueryBinding binding = Bind(text);
        ASSERT_EQ(PlanSearch(binding, OptionsFor(k)).algorithm, Algorithm::kConstantScore);
        const auto expected = SearchExhaustively(binding, k);
        const auto found = PlanAndSearch(binding, OptionsFor(k));
        ASSERT_TRUE(expected.ok() && found.ok());
        ASSERT_EQ(found->docs.size(), expected->docs.size());
        for (size_t i = 0; i < found->docs.size(); ++i) {
          ASSERT_EQ(found->docs[i].doc, expected->docs[i].doc) << i;
          ASSERT_EQ(found->docs[i].score, expected->docs[i].score) << i;
        }
      }
    }
  });
}

TEST_F(ConstantSearch, LooksAtNothingBehindTheLastThatItNeeds) {
  for (const char* text : kConstantQueries) {
    const QueryBinding binding = Bind(text);
    const SearchPlan plan = PlanSearch(binding, OptionsFor(10));
    TopK top(10);
    PrunedDocs result;
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(SearchConstant({binding, plan}, i, top, result).ok());
    }
    EXPECT_EQ(result.scored, 10u) << text;
    EXPECT_TRUE(top.full());
  }
}

TEST_F(ConstantSearch, GivesWhatItHasAtTheDeadline) {
  const Deadline over = std::chrono::steady_clock::time_point::min();
  for (const char* text : kConstantQueries) {
    const QueryBinding binding = Bind(text);
    const auto late = PlanAndSearch(binding, {}, BestQueryKernels(), over);
    ASSERT_TRUE(late.ok());
    EXPECT_TRUE(late->timed_out) << text;
    EXPECT_TRUE(late->docs.empty());
  }
}

TEST_F(ConstantSearch, KeepsThatAnEarlierSegmentCameTooLate) {
  const QueryBinding binding = Bind("*:*");
  const SearchPlan plan = PlanSearch(binding, OptionsFor(10));
  TopK top(10);
  PrunedDocs result;
  result.timed_out = true;
  ASSERT_TRUE(SearchConstant({binding, plan}, 1, top, result).ok());
  EXPECT_TRUE(result.timed_out);
}

TEST_F(ConstantSearch, IsNotForOtherQueries) {
  for (const char* text : {"body:t1", "body:\"t0 t1\"", "body:t1* body:t2*", "*:* -body:t1"}) {
    const QueryBinding binding = Bind(text);
    EXPECT_NE(PlanSearch(binding, OptionsFor(10)).algorithm, Algorithm::kConstantScore) << text;
  }
}

}  // namespace constant_search_test
}  // namespace pmdex
