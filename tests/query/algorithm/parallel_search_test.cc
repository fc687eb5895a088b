// The search on several threads against the exhaustive search.
#include "query/algorithm/parallel_search.h"

#include <chrono>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace parallel_search_test {

class ParallelSearchTest : public WindowedIndexTest<testing::Test, 20000, 300, 9000> {
 protected:
  static SearchPlan PlanThreads(const QueryBinding& binding, size_t k, size_t threads) {
    PlanOptions options;
    options.k = k;
    options.threads = threads;
    options.least_parallel_postings = 0;
    options.windows_per_range = 1;
    return PlanSearch(binding, options);
  }
};

constexpr const char* kQueries[] = {"body:t0 body:t3", "+body:t0 +body:t1 title:t2",
                                    "+title:t8 +body:t0", "body:\"t0 t1\" body:t5"};

TEST_F(ParallelSearchTest, EqualsTheOracle) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 500}) {
        const auto expected = SearchExhaustively(binding, k);
        const SearchPlan plan = PlanThreads(binding, k, 3);
        ASSERT_EQ(plan.threads, 3u);
        const auto found = SearchInParallel({binding, plan});
        ASSERT_TRUE(expected.ok() && found.ok());
        EXPECT_LE(found->scored, expected->total);
        ASSERT_EQ(found->docs.size(), expected->docs.size());
        for (size_t i = 0; i < found->docs.size(); ++i) {
          ASSERT_EQ(found->docs[i].doc, expected->docs[i].doc) << i << " of " << k;
          ASSERT_EQ(found->docs[i].score, expected->docs[i].score) << i << " of " << k;
        }
      }
    }
  });
}

TEST_F(ParallelSearchTest, NamesTheAlgorithmOfEachSegment) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const SearchPlan plan = PlanThreads(binding, 10, 2);
  const auto found = SearchInParallel({binding, plan});
  ASSERT_TRUE(found.ok());
  const std::vector<Algorithm> expected = {Algorithm::kMaxScoreWindows, Algorithm::kWholeLists,
                                           Algorithm::kMaxScoreWindows};
  EXPECT_EQ(found->segments, expected) << "t3 has bits in all but the small segment";
}

TEST_F(ParallelSearchTest, EndsAtTheDeadline) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const SearchPlan plan = PlanThreads(binding, 10, 2);
  const Deadline over = std::chrono::steady_clock::time_point::min();
  const auto found = SearchInParallel({binding, plan, BestQueryKernels(), over});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->timed_out);
}

}  // namespace parallel_search_test
}  // namespace pmdex
