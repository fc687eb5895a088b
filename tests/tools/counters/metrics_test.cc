#include "tools/counters/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"

namespace pmdex {
namespace metrics_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Two groups; half and rest add up to 1 if the counts are sound.
EventTable SmallTable() {
  EventTable table;
  table.events = {{.name = "cycles", .source = "C"},
                  {.name = "a", .source = "A"},
                  {.name = "b", .source = "B"},
                  {.name = "c", .source = "C"}};
  table.groups = {{"first", {"cycles", "a", "b"}}, {"second", {"cycles", "c"}}};
  table.metrics = {{"half", "share", "a / cycles", "test", MetricCheck::kFraction},
                   {"rest", "share", "b / cycles", "test", MetricCheck::kFraction},
                   {"of_half", "share", "half / 2", "test", MetricCheck::kFraction},
                   {"c_per_query", "per query", "c / queries", "test"}};
  table.level1 = {"half", "rest"};
  return table;
}

std::vector<std::string> InconsistentNames(const MetricSet& set) {
  std::vector<std::string> names;
  for (const InconsistentMetric& metric : set.inconsistent) names.push_back(metric.name);
  return names;
}

TEST(Metrics, AreComputedInTheOrderOfTheTable) {
  const EventTable table = SmallTable();
  const auto set = ComputeMetrics(
      table, CountsOfTable(table, 4, {{"cycles", 100}, {"a", 40}, {"b", 60}, {"c", 8}}));
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(InconsistentNames(*set), IsEmpty());
  ASSERT_EQ(set->values.size(), 4u);
  EXPECT_DOUBLE_EQ(set->values[0].value, 0.4);
  EXPECT_DOUBLE_EQ(set->values[2].value, 0.2);
  EXPECT_DOUBLE_EQ(set->values[3].value, 2);
}

TEST(Metrics, OfAGroupThatWasNotCountedAreAbsent) {
  const EventTable table = SmallTable();
  CounterTotals totals = CountsOfTable(table, 4, {{"cycles", 100}, {"a", 40}, {"b", 60}});
  totals.groups[1] = {};
  const auto set = ComputeMetrics(table, totals);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->Find("c_per_query"), nullptr);
  EXPECT_NE(set->Find("half"), nullptr);
  EXPECT_THAT(CountingFaults(table, totals), IsEmpty());
}

TEST(Metrics, ThatCombinePassesOfDifferentCyclesAreInconsistent) {
  EventTable table = SmallTable();
  table.metrics.push_back({"c_of_a", "per a", "c / a", "test"});
  table.metrics.push_back({"c_share", "share of cycles", "c / cycles", "test"});
  table.metrics.push_back({"twice", "per a", "2 * c_of_a", "test"});
  table.metrics.push_back({"by_metrics", "share", "half * c_share", "test"});
  CounterTotals totals = CountsOfTable(table, 4, {{"cycles", 100}, {"a", 40}, {"b", 60}, {"c", 8}});
  EXPECT_THAT(InconsistentNames(*ComputeMetrics(table, totals)), IsEmpty());
  for (const double cycles : {126, 79}) {
    totals.groups[1].counts[0] = cycles;
    const auto set = ComputeMetrics(table, totals);
    EXPECT_THAT(InconsistentNames(*set), ElementsAre("c_of_a", "twice", "by_metrics")) << cycles;
    EXPECT_THAT(set->inconsistent[0].why, HasSubstr("times the cycles of that of"));
    EXPECT_DOUBLE_EQ(set->Find("c_share")->value, 8 / cycles);
    EXPECT_THAT(CountingFaults(table, totals), ElementsAre(HasSubstr("the group 'second' took")));
  }
  totals.took_turns = true;
  EXPECT_THAT(InconsistentNames(*ComputeMetrics(table, totals)), IsEmpty());
  totals.took_turns = false;
  totals.groups[1].counts[0] = 124;
  EXPECT_THAT(InconsistentNames(*ComputeMetrics(table, totals)), IsEmpty());
  EXPECT_THAT(CountingFaults(table, totals), IsEmpty());
}

TEST(Metrics, OfAGroupThatSharedTheCountersAreAbsent) {
  const EventTable table = SmallTable();
  CounterTotals totals = CountsOfTable(table, 4, {{"cycles", 100}, {"c", 8}});
  totals.groups[1].running_ns = totals.groups[1].enabled_ns / 2;
  EXPECT_EQ(ComputeMetrics(table, totals)->Find("c_per_query"), nullptr);
  EXPECT_THAT(CountingFaults(table, totals), ElementsAre(HasSubstr("50 % of the time")));
  totals.groups[1].running_ns = 0;
  EXPECT_EQ(ComputeMetrics(table, totals)->Find("c_per_query"), nullptr);
  EXPECT_THAT(CountingFaults(table, totals), ElementsAre(HasSubstr("never counted")));
}

TEST(Metrics, ThatDoNotAddUpAreInconsistentWithAllThatFollowsFromThem) {
  const EventTable table = SmallTable();
  const auto set = ComputeMetrics(
      table, CountsOfTable(table, 4, {{"cycles", 100}, {"a", 40}, {"b", 70}, {"c", 8}}));
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(InconsistentNames(*set), ElementsAre("half", "rest", "of_half"));
  EXPECT_THAT(set->inconsistent[0].why, HasSubstr("add up to 1.100"));
  EXPECT_EQ(set->Find("half"), nullptr);
  EXPECT_NE(set->Find("c_per_query"), nullptr);
}

// On Skylake the categories of level 1 add up to 1 whatever was counted.
TEST(Metrics, ThatAreMoreThanTheirWholeAreInconsistent) {
  std::map<std::string_view, double> counts = {
      {"cycles", 1000}, {"not_delivered", 400}, {"issued", 2200},  {"retired", 2000},
      {"recovery", 50}, {"instructions", 1900}, {"idle_fetch", 50}};
  const auto flagged = [&] {
    return InconsistentNames(
        *ComputeMetrics(SkylakeTable(), CountsOfTable(SkylakeTable(), 1, counts)));
  };
  EXPECT_THAT(flagged(), IsEmpty());
  counts["macro_fused"] = 2500;  // more operations of several than there are operations
  EXPECT_THAT(flagged(), UnorderedElementsAre("heavy_operations", "light_operations"));
  counts["macro_fused"] = 0;
  counts["idle_fetch"] = 200;
  EXPECT_THAT(flagged(), UnorderedElementsAre("frontend_latency", "frontend_bandwidth"));
  counts["idle_fetch"] = 50;
  counts["not_delivered"] = 2400;
  EXPECT_THAT(flagged(), testing::Contains("backend_bound"));
}

TEST(Metrics, OfLevelsOfMemoryThatTakeMoreThanAllCyclesAreInconsistent) {
  const auto set = ComputeMetrics(SapphireRapidsTable(), CountsOfTable(SapphireRapidsTable(), 1,
                                                                       {{"cycles", 1000},
                                                                        {"bound_on_loads", 900},
                                                                        {"stalls_l1d_miss", 500},
                                                                        {"stalls_l2_miss", 300},
                                                                        {"stalls_l3_miss", 100},
                                                                        {"bound_on_stores", 400}}));
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(InconsistentNames(*set), testing::IsSupersetOf({"l1_bound", "store_bound"}));
  EXPECT_EQ(set->Find("l3_bound"), nullptr);
}

TEST(Metrics, OfLevelsOfMemoryFarAboveMemoryBoundAreDoubtful) {
  const EventTable& table = SapphireRapidsTable();
  std::map<std::string_view, double> counts = {
      {"cycles", 1000},  {"slots", 6000},        {"retired", 3000},      {"backend_slots", 2000},
      {"bubbles", 1000}, {"memory_slots", 1500}, {"bound_on_loads", 300}};
  EXPECT_THAT(DoubtsOf(table, *ComputeMetrics(table, CountsOfTable(table, 1, counts))), IsEmpty());
  counts["bound_on_loads"] = 600;
  EXPECT_THAT(DoubtsOf(table, *ComputeMetrics(table, CountsOfTable(table, 1, counts))),
              ElementsAre(HasSubstr("take 0.600 of the cycles, and memory_bound is 0.250")));
}

TEST(Metrics, OfABrokenPmuAreAbsent) {
  const EventTable& table = SkylakeTable();
  CounterTotals totals = CountsOfTable(
      table, 1, {{"cycles", 1000}, {"instructions", 900}, {"issued", 0}, {"retired", 0}});
  EXPECT_EQ(BrokenGroups(table, totals)[0], true);
  const auto set = ComputeMetrics(table, totals);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->Find("backend_bound"), nullptr);
  EXPECT_EQ(set->Find("llc_misses_per_1000"), nullptr);
  // Without the sign of a broken PMU, 0 misses are a measurement.
  totals = CountsOfTable(
      table, 1, {{"cycles", 1000}, {"instructions", 900}, {"issued", 999}, {"retired", 900}});
  EXPECT_EQ(ComputeMetrics(table, totals)->Find("llc_misses_per_1000")->value, 0);
  EXPECT_THAT(DroppedGroups(table, totals), IsEmpty());
}

TEST(Metrics, OutsideZeroToOneAreInconsistent) {
  const EventTable table = SmallTable();
  const auto set =
      ComputeMetrics(table, CountsOfTable(table, 4, {{"cycles", 100}, {"a", 150}, {"b", -50}}));
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(InconsistentNames(*set), ElementsAre("half", "rest", "of_half"));
  EXPECT_THAT(set->inconsistent[0].why, HasSubstr("outside"));
}

TEST(Metrics, ScaleTheCountsOfAPassToTheCyclesOfTheFirst) {
  const EventTable table = SmallTable();
  CounterTotals totals = CountsOfTable(table, 4, {{"cycles", 100}, {"c", 8}});
  totals.groups[1].counts = {200, 16};  // this pass ran twice as long
  EXPECT_DOUBLE_EQ(ComputeMetrics(table, totals)->Find("c_per_query")->value, 2);
  EXPECT_THAT(CountingFaults(table, totals), ElementsAre(HasSubstr("2.00 times the cycles")));
}

TEST(Metrics, ScaleTheCountsToOneRunOfEachQuery) {
  const EventTable table = SmallTable();
  CounterTotals totals = CountsOfTable(table, 4, {});
  totals.groups[0] = {.runs = 8, .enabled_ns = 1, .running_ns = 1, .counts = {200, 80, 120}};
  totals.groups[1] = {.runs = 4, .enabled_ns = 1, .running_ns = 1, .counts = {100, 8}};
  EXPECT_DOUBLE_EQ(ComputeMetrics(table, totals)->Find("c_per_query")->value, 2);
  EXPECT_THAT(CountingFaults(table, totals), IsEmpty());
}

TEST(Metrics, UseValuesThatNoEventCounts) {
  CounterTotals totals = CountsOfTable(SoftwareTable(), 4, {});
  totals.others["wall_ns"] = 8000;
  EXPECT_DOUBLE_EQ(ComputeMetrics(SoftwareTable(), totals)->Find("time_us")->value, 2);
}

TEST(Metrics, RefuseATableWithAMalformedFormula) {
  EventTable table = SmallTable();
  table.metrics[0].formula = "a /";
  EXPECT_TRUE(absl::IsInvalidArgument(ComputeMetrics(table, CountsOfTable(table, 1, {})).status()));
}

}  // namespace metrics_test
}  // namespace pmdex
