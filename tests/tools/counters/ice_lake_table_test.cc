// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace ice_lake_table_test {

using Values = std::map<std::string_view, double>;

TEST(IceLakeTable, BreaksCyclesDownTopDown) {
  const Values counts = {{"stalls_mem_any", 300}, {"bound_on_stores", 20}, {"stalls_total", 400},
                         {"one_port", 100},       {"two_ports", 160},      {"stalls_l1d_miss", 250},
                         {"stalls_l2_miss", 200}, {"stalls_l3_miss", 120}, {"l2_hit", 40},
                         {"l1_miss", 100},        {"fb_hit", 25},          {"fb_full_periods", 50},
                         {"local_dram", 10},      {"local_pmm", 4},        {"l3_miss", 14},
                         {"cycles", 1000},        {"instructions", 2000},  {"slots", 5000},
                         {"backend_slots", 1400}, {"clears", 20},          {"not_delivered", 600},
                         {"uop_dropping", 100},   {"retired", 2500}};
  const Values expected = {{"frontend_bound", 0.1}, {"bad_speculation", 0.1},
                           {"retiring", 0.5},       {"backend_bound", 0.3},
                           {"memory_bound", 0.16},  {"core_bound", 0.14},
                           {"l1_bound", 0.05},      {"l2_bound", 0.025},
                           {"l3_bound", 0.08},      {"external_memory_bound", 0.145},
                           {"store_bound", 0.02},   {"pm_bound", 0.0725}};
  EXPECT_TRUE(WrongMetrics(IceLakeTable(), counts, expected).empty())
      << testing::PrintToString(WrongMetrics(IceLakeTable(), counts, expected));
}

}  // namespace ice_lake_table_test
}  // namespace pmdex
