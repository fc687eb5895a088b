// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace architectural_table_test {

using Values = std::map<std::string_view, double>;

TEST(ArchitecturalTable, GivesRatiosAndNoTopDown) {
  const Values counts = {{"cycles", 1000},
                         {"instructions", 2000},
                         {"branches", 400},
                         {"branch_misses", 20},
                         {"cache_misses", 14}};
  const Values expected = {{"ipc", 2},
                           {"branch_miss_share", 0.05},
                           {"branch_misses_per_1000", 10},
                           {"cache_misses_per_1000", 7}};
  EXPECT_TRUE(WrongMetrics(ArchitecturalTable(), counts, expected).empty());
  EXPECT_TRUE(ArchitecturalTable().level1.empty());
}

}  // namespace architectural_table_test
}  // namespace pmdex
