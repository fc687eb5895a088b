// The counts are made up; the expected values were worked out by hand from the published formulas.
#include <gtest/gtest.h>

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace software_table_test {

using Values = std::map<std::string_view, double>;

TEST(SoftwareTable, DividesByTheQueries) {
  const Values counts = {
      {"task_clock_ns", 50000}, {"page_faults", 5}, {"minor_faults", 4}, {"major_faults", 1}};
  const Values expected = {{"task_clock_us", 5},
                           {"page_faults_per_query", 0.5},
                           {"minor_faults_per_query", 0.4},
                           {"major_faults_per_query", 0.1}};
  EXPECT_TRUE(WrongMetrics(SoftwareTable(), counts, expected).empty());
}

TEST(SoftwareTable, GivesNoTimeThatNobodyTook) {
  const auto metrics = ComputeMetrics(SoftwareTable(), CountsOfTable(SoftwareTable(), 10, {}));
  ASSERT_TRUE(metrics.ok());
  EXPECT_EQ(metrics->Find("time_us"), nullptr);
  EXPECT_EQ(metrics->Find("user_us"), nullptr);
}

}  // namespace software_table_test
}  // namespace pmdex
