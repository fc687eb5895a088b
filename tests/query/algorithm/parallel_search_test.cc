// The search on several threads against the exhaustive search.
#include "query/algorithm/parallel_search.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/numa_placement.h"
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

// Two nodes that are both this machine's CPUs: the first segment is on one, the last on the other.
class NodesOfParallelSearch : public ParallelSearchTest {
 protected:
  SegmentNodes Nodes() const {
    const std::vector<int> cpus = AllowedCpus().value();
    const auto segments = snapshot_->segments();
    return SegmentNodes({{0, 0, 0, cpus}, {1, 0, 0, cpus}},
                        {{segments[0]->segment_id(), 0}, {segments[2]->segment_id(), 1}});
  }
};

TEST_F(NodesOfParallelSearch, FindWhatOtherThreadsFindWhereverTheSegmentsLie) {
  const SegmentNodes nodes = Nodes();
  ASSERT_TRUE(nodes.is_useful());
  const uint64_t parts = WindowCount(20000) + WindowCount(9000);
  for (const char* text : kQueries) {
    SCOPED_TRACE(text);
    const QueryBinding binding = Bind(text);
    for (const size_t threads : {1, 2, 5}) {
      SearchPlan plan = PlanThreads(binding, 40, 2);
      plan.threads = threads;
      const auto expected = SearchExhaustively(binding, 40);
      const auto found =
          SearchInParallel({binding, plan, BestQueryKernels(), std::nullopt, &nodes});
      ASSERT_TRUE(expected.ok() && found.ok());
      ASSERT_EQ(found->docs.size(), expected->docs.size());
      for (size_t i = 0; i < found->docs.size(); ++i) {
        ASSERT_EQ(found->docs[i].doc, expected->docs[i].doc) << i;
        ASSERT_EQ(found->docs[i].score, expected->docs[i].score) << i;
      }
      ASSERT_TRUE(found->node_parts.has_value());
      EXPECT_EQ(found->node_parts->local + found->node_parts->remote, parts);
      // One thread is on one node, and goes to the other when its own has nothing left.
      if (threads == 1) {
        EXPECT_EQ(found->node_parts->local, WindowCount(20000));
      }
    }
  }
}

TEST(NodeOfThread, IsInTurnOneThatHasSegments) {
  const std::vector<NumaNode> four = {
      {0, 0, 0, {0}}, {1, 0, 0, {1}}, {2, 0, 0, {2}}, {3, 0, 0, {3}}};
  const SegmentNodes nodes(four, {{7, 1}, {8, 3}});
  const auto of_threads = [&nodes](size_t first) {
    std::vector<size_t> found;
    for (size_t thread = 0; thread < 4; ++thread) {
      found.push_back(NodeOfThread(nodes, first, thread));
    }
    return found;
  };
  EXPECT_EQ(of_threads(0), (std::vector<size_t>{0, 1, 3, 1}));
  EXPECT_EQ(of_threads(1), (std::vector<size_t>{1, 3, 1, 3}));
  EXPECT_EQ(of_threads(3), (std::vector<size_t>{3, 1, 3, 1}));
  EXPECT_EQ(NodeOfThread(SegmentNodes(four, {}), 2, 1), 2u);
}

TEST_F(ParallelSearchTest, CountsNoPartsWhereThreadsAreBoundToNoNode) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const SearchPlan plan = PlanThreads(binding, 10, 2);
  EXPECT_FALSE(SearchInParallel({binding, plan})->node_parts.has_value());
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
