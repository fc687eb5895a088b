// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace skylake_table_test {

using Values = std::map<std::string_view, double>;

const Values kCounts = {{"stalls_mem_any", 300}, {"bound_on_stores", 20}, {"stalls_total", 400},
                        {"one_port", 100},       {"two_ports", 160},      {"stalls_l1d_miss", 250},
                        {"stalls_l2_miss", 200}, {"stalls_l3_miss", 120}, {"l2_hit", 40},
                        {"l1_miss", 100},        {"fb_hit", 25},          {"fb_full_periods", 50},
                        {"local_dram", 10},      {"local_pmm", 4},        {"l3_miss", 14},
                        {"cycles", 1000},        {"instructions", 2000},  {"not_delivered", 400},
                        {"issued", 2200},        {"retired", 2000},       {"recovery", 50}};
using Wrong = std::map<std::string_view, std::pair<double, double>>;

TEST(SkylakeTable, BreaksCyclesDownTopDown) {
  EXPECT_EQ(WrongMetrics(SkylakeTable(), kCounts,
                         {{"frontend_bound", 0.1},
                          {"bad_speculation", 0.1},
                          {"retiring", 0.5},
                          {"backend_bound", 0.3},
                          {"memory_bound", 0.16},
                          {"core_bound", 0.14},
                          {"l1_bound", 0.05},
                          {"l2_bound", 0.025},
                          {"l3_bound", 0.08},
                          {"external_memory_bound", 0.145},
                          {"store_bound", 0.02},
                          {"dram_bound", 0.145}}),
            Wrong());
}

TEST(SkylakeTable, GivesRatiosOfPlainEvents) {
  EXPECT_EQ(WrongMetrics(SkylakeTable(), kCounts,
                         {{"ipc", 2}, {"llc_misses_per_1000", 7}, {"cycles_per_query", 100}}),
            Wrong());
}

TEST(CascadeLakeTable, SplitsMemoryIntoDramAndPersistentMemory) {
  EXPECT_EQ(
      WrongMetrics(CascadeLakeTable(), kCounts,
                   {{"dram_share_of_misses", 0.5}, {"pm_bound", 0.0725}, {"dram_bound", 0.0725}}),
      Wrong());
  EXPECT_EQ(SkylakeTable().FindMetric("pm_bound"), nullptr);
}

TEST(CascadeLakeTable, CallsAllOfItDramIfNoLoadCameFromPersistentMemory) {
  Values counts = kCounts;
  counts["local_pmm"] = 0;
  EXPECT_EQ(WrongMetrics(CascadeLakeTable(), counts, {{"pm_bound", 0}, {"dram_bound", 0.145}}),
            Wrong());
}

}  // namespace skylake_table_test
}  // namespace pmdex
