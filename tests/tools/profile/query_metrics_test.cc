#include "tools/profile/query_metrics.h"

#include <algorithm>

#include "gtest/gtest.h"

#include "tests/tools/profile/fake_counters.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace query_metrics_test {

TEST(QueryMetrics, CountEachQueryOnceHoweverOftenItRan) {
  const std::vector<ProfileQuery> queries = {{"a", "term", "p", 2}, {"b", "and-2", "p", 5}};
  // Ten runs with 5 page faults, and one with 2.
  const std::vector<QueryCounts> counts = {{{{10, 1000, 1000, {5, 1000, 5, 0}}}, 8000, 10},
                                           {{{1, 100, 100, {2, 100, 2, 0}}}, 2000, 1}};
  ProfiledConfiguration result;
  result.read_ns = 100;
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

TEST(QueryMetrics, SayWhatTheReadsOfEachGroupCost) {
  const std::vector<ProfileQuery> queries = {
      {"a", "term", "p", 2}, {"b", "term", "p", 5}, {"c", "and-2", "p", 5}};
  std::vector<QueryCounts> counts(3);
  counts[0].wall_ns = 1000;
  counts[0].repeats = 16;
  counts[1].wall_ns = 4000;
  counts[1].repeats = 4;
  counts[2].wall_ns = 100'000;
  counts[2].repeats = 1;
  ProfiledConfiguration result;
  result.read_ns = 80;
  ASSERT_TRUE(SetMetrics(SoftwareTable(), queries, counts, {}, result).ok());
  ASSERT_EQ(result.classes.size(), 2u);
  const std::optional<CounterReads>& terms = result.classes[1].reads;
  ASSERT_TRUE(terms.has_value());
  EXPECT_EQ(terms->read_ns, 80);
  EXPECT_EQ(terms->fewest_runs, 4u);
  EXPECT_EQ(terms->most_runs, 16u);
  EXPECT_DOUBLE_EQ(terms->share, 4 * 80 / 32'000.0);
  ASSERT_TRUE(result.classes[0].reads.has_value());
  EXPECT_DOUBLE_EQ(result.classes[0].reads->share, 2 * 80 / 100'000.0);
  ASSERT_TRUE(result.reads.has_value());
  EXPECT_DOUBLE_EQ(result.reads->share, 6 * 80 / 132'000.0);
  const ReportTable table = GroupTable("", "class", result.classes);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.columns[table.columns.size() - 2].name, "runs between reads");
  EXPECT_EQ(*(table.rows[0].end() - 2), "1");
  EXPECT_EQ(*(table.rows[1].end() - 2), "4 to 16");
  EXPECT_EQ(table.rows[1].back(), "0.010");

  ProfiledConfiguration unread;
  for (QueryCounts& query : counts) query.repeats = 0;
  ASSERT_TRUE(SetMetrics(SoftwareTable(), queries, counts, {}, unread).ok());
  EXPECT_FALSE(unread.reads.has_value());
  EXPECT_FALSE(unread.classes[0].reads.has_value());
  EXPECT_EQ(GroupTable("", "class", unread.classes).columns.back().name, "us");
}

TEST(QueryMetrics, OfEachQueryAreSortedByWhatWasMeasured) {
  const std::string letters(3000, 'x');
  const std::vector<ProfileQuery> queries = {
      {"fast", "term", "p", 2}, {"slow", "term", "p", 5}, {letters, "term", "p", 5}};
  std::vector<QueryCounts> counts(3);
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i].wall_ns = i == 1 ? 9000 : 1000;
    counts[i].repeats = 2;
  }
  ProfiledConfiguration timed;
  timed.each_query = MetricsOfEachQuery(SoftwareTable(), queries, counts, 100).value();
  ASSERT_EQ(timed.each_query.size(), 3u);
  EXPECT_EQ(timed.each_query[0].name, "fast") << "in the order of the file";
  EXPECT_EQ(timed.each_query[0].reads->fewest_runs, 2u);
  EXPECT_DOUBLE_EQ(timed.each_query[0].reads->share, 200 / 2000.0);
  const ReportTable slowest = QueryTable(timed, 2);
  EXPECT_EQ(slowest.caption, "The 2 slowest queries, by their time");
  ASSERT_EQ(slowest.rows.size(), 2u);
  EXPECT_EQ(slowest.rows[0][0], "slow");
  EXPECT_EQ(slowest.rows[1][0], "fast");
  EXPECT_EQ(QueryTable(timed, 3).rows[2][0], std::string(80, 'x') + "...");

  const std::vector<double> instructions = {5000, 100, 20};
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] = {};
    GroupCounts& group = counts[i].groups.emplace_back();
    group.runs = group.enabled_ns = group.running_ns = 1;
    group.counts.assign(SimulatedTable().groups[0].events.size(), instructions[i]);
  }
  ProfiledConfiguration simulated;
  simulated.each_query = MetricsOfEachQuery(SimulatedTable(), queries, counts, 0).value();
  EXPECT_FALSE(simulated.each_query[0].reads.has_value());
  const ReportTable most = QueryTable(simulated, 2);
  EXPECT_EQ(most.caption, "The 2 queries with the most instructions");
  ASSERT_EQ(most.rows.size(), 2u);
  EXPECT_EQ(most.rows[0][0], "fast");
}

// Counts of one run by the made-up PMU, the group `slow` twice as many.
QueryCounts MadeUpCounts(const EventTable& table, size_t slow) {
  QueryCounts counts;
  for (size_t g = 0; g < table.groups.size(); ++g) {
    GroupCounts& group = counts.groups.emplace_back();
    group.runs = 1;
    group.enabled_ns = group.running_ns = 1000;
    for (const std::string_view event : table.groups[g].events) {
      group.counts.push_back(static_cast<double>(MadeUpCount(event)) * (g == slow ? 2 : 1));
    }
  }
  return counts;
}

TEST(QueryMetrics, SayOfEachGroupWhatIsWrongWithItsCounts) {
  const EventTable& table = Zen4Table();
  // One slow pass among ten queries is no fault of them all.
  std::vector<ProfileQuery> queries(9, {"a", "term", "p", 2});
  std::vector<QueryCounts> counts(9, MadeUpCounts(table, table.groups.size()));
  queries.push_back({"c", "and-2", "q", 50});
  counts.push_back(MadeUpCounts(table, 1));
  counts.back().groups[2].running_ns = 500;
  ProfiledConfiguration result;
  ASSERT_TRUE(SetMetrics(table, queries, counts, {}, result).ok());
  ASSERT_EQ(result.classes.size(), 2u);
  const std::string first = "the pass of the group '" + std::string(table.groups[1].name) + "'";
  ASSERT_EQ(result.classes[0].name, "and-2");
  ASSERT_EQ(result.classes[0].notes.size(), 1u);
  EXPECT_EQ(result.classes[0].notes[0].find(first + " took 2.00 times"), 0u);
  EXPECT_FALSE(result.classes[0].metrics.inconsistent.empty());
  EXPECT_TRUE(result.classes[1].notes.empty());
  EXPECT_TRUE(result.classes[1].metrics.inconsistent.empty());
  EXPECT_EQ(result.plans[1].notes, result.classes[0].notes);
  EXPECT_EQ(result.buckets[1].notes, result.classes[0].notes);
  // What all queries suffer from is not said again of each group.
  ASSERT_EQ(result.notes.size(), 1u);
  const std::string second = "the group '" + std::string(table.groups[2].name) + "' counted 95 %";
  EXPECT_EQ(result.notes[0].find(second), 0u) << result.notes[0];
}

TEST(QueryMetrics, HaveTheTitlesOfTheirTable) {
  const auto has_title = [](const EventTable& table, const std::string& title) {
    const std::vector<ProfileQuery> queries = {{"a", "term", "p", 2}};
    const std::vector<QueryCounts> counts = {MadeUpCounts(table, table.groups.size())};
    ProfiledConfiguration result;
    EXPECT_TRUE(SetMetrics(table, queries, counts, {}, result).ok());
    const ReportTable groups = GroupTable("", "class", result.classes);
    return std::any_of(groups.columns.begin(), groups.columns.end(),
                       [&](const ReportColumn& column) { return column.name == title; });
  };
  EXPECT_TRUE(has_title(SapphireRapidsTable(), "PM or CXL"));
  EXPECT_FALSE(has_title(SapphireRapidsTable(), "PM"));
  EXPECT_TRUE(has_title(IceLakeTable(), "PM"));
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
