#include "tools/profile/query_metrics.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace query_metrics_test {

TEST(QueryMetrics, CountEachQueryOnceHoweverOftenItRan) {
  const std::vector<ProfileQuery> queries = {{"a", "term", "p", 2}, {"b", "and-2", "p", 5}};
  // Ten runs with 5 page faults, and one with 2.
  const std::vector<QueryCounts> counts = {{{{10, 1000, 1000, {5, 1000, 5, 0}}}, 8000},
                                           {{{1, 100, 100, {2, 100, 2, 0}}}, 2000}};
  ProfiledConfiguration result;
  ASSERT_TRUE(SetMetrics(SoftwareTable(), queries, counts, {}, result).ok());
  EXPECT_DOUBLE_EQ(result.metrics.Find("page_faults_per_query")->value, 1.25);
  EXPECT_DOUBLE_EQ(result.metrics.Find("time_us")->value, 5);
  EXPECT_EQ(result.metrics.Find("user_us"), nullptr) << "it was not given";
  ASSERT_EQ(result.classes.size(), 2u);
  EXPECT_EQ(result.classes[0].name, "and-2");
  EXPECT_DOUBLE_EQ(result.classes[0].metrics.Find("page_faults_per_query")->value, 2);
  EXPECT_EQ(result.plans.size(), 1u);
  ASSERT_EQ(result.buckets.size(), 2u);
  EXPECT_EQ(result.buckets[1].range, (PostingRange{3, 10}));
}

TEST(QueryMetrics, HaveTheSoftwareEventsBehindThoseOfTheCpu) {
  const EventTable both = WithSoftware(Zen4Table());
  EXPECT_EQ(both.groups.size(), Zen4Table().groups.size() + SoftwareTable().groups.size());
  EXPECT_NE(both.FindMetric("page_faults_per_query"), nullptr);
  EXPECT_NE(both.FindEvent("task_clock_ns"), nullptr);
  EXPECT_EQ(both.level1, Zen4Table().level1);
}

}  // namespace query_metrics_test
}  // namespace pmdex
