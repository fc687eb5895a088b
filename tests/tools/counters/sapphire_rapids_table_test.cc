// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace sapphire_rapids_table_test {

using Values = std::map<std::string_view, double>;

TEST(SapphireRapidsTable, BreaksCyclesDownTopDown) {
  const Values counts = {
      {"stalls_mem_any", 300}, {"bound_on_stores", 20}, {"stalls_total", 400},
      {"one_port", 100},       {"two_ports", 160},      {"stalls_l1d_miss", 250},
      {"stalls_l2_miss", 200}, {"stalls_l3_miss", 120}, {"l2_hit", 40},
      {"l1_miss", 100},        {"fb_hit", 25},          {"fb_full_periods", 50},
      {"local_dram", 10},      {"local_pmm", 4},        {"l3_miss", 14},
      {"cycles", 1000},        {"instructions", 2000},  {"slots", 6000},
      {"backend_slots", 1800}, {"memory_slots", 960},   {"mispredict_slots", 480},
      {"retired", 3000},       {"bubbles", 700},        {"uop_dropping", 100},
      {"bound_on_loads", 300}};
  const Values expected = {
      {"frontend_bound", 0.1},      {"bad_speculation", 0.1}, {"retiring", 0.5},
      {"backend_bound", 0.3},       {"memory_bound", 0.16},   {"core_bound", 0.14},
      {"branch_mispredicts", 0.08}, {"machine_clears", 0.02}, {"l1_bound", 0.05},
      {"l2_bound", 0.05},           {"l3_bound", 0.08},       {"external_memory_bound", 0.12},
      {"pm_bound", 0.06},           {"store_bound", 0.02}};
  EXPECT_TRUE(WrongMetrics(SapphireRapidsTable(), counts, expected).empty())
      << testing::PrintToString(WrongMetrics(SapphireRapidsTable(), counts, expected));
}

TEST(SapphireRapidsTable, NamesCxlBesidePersistentMemory) {
  EXPECT_EQ(SapphireRapidsTable().FindMetric("pm_bound")->title, "PM or CXL");
  EXPECT_EQ(IceLakeTable().FindMetric("pm_bound")->title, "");
}

}  // namespace sapphire_rapids_table_test
}  // namespace pmdex
