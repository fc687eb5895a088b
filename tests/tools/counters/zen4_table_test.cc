// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace zen4_table_test {

using Values = std::map<std::string_view, double>;

TEST(Zen4Table, BreaksCyclesDownIntoFiveCategories) {
  const Values counts = {
      {"cycles", 1000},         {"instructions", 2000},     {"no_ops", 600},
      {"backend_stalls", 1500}, {"smt_contention", 300},    {"retired_ops", 3000},
      {"dispatched", 3600},     {"load_not_complete", 160}, {"not_complete", 400},
      {"idle_dispatch", 50},    {"fill_near_dram", 3},      {"fill_far_dram", 1},
      {"fill_extension", 1}};
  const Values expected = {{"frontend_bound", 0.1},
                           {"bad_speculation", 0.1},
                           {"backend_bound", 0.25},
                           {"smt_contention_share", 0.05},
                           {"retiring", 0.5},
                           {"memory_bound", 0.1},
                           {"core_bound", 0.15},
                           {"frontend_latency", 0.05},
                           {"llc_misses_per_1000", 2.5},
                           {"extension_memory_fills_per_1000", 0.5}};
  EXPECT_TRUE(WrongMetrics(Zen4Table(), counts, expected).empty())
      << testing::PrintToString(WrongMetrics(Zen4Table(), counts, expected));
}

}  // namespace zen4_table_test
}  // namespace pmdex
