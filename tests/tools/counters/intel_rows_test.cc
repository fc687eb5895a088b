#include "tools/counters/intel_rows.h"

#include <gtest/gtest.h>

#include <set>

namespace pmdex {
namespace intel_rows_test {

TEST(IntelRows, CountEveryEventInAGroup) {
  for (const bool without_pmm : {false, true}) {
    std::set<std::string_view> counted;
    for (const EventGroup& group : IntelCommonGroups(without_pmm)) {
      counted.insert(group.events.begin(), group.events.end());
    }
    for (const CounterEvent& event : IntelCommonEvents(without_pmm)) {
      EXPECT_TRUE(counted.contains(event.name)) << event.name;
    }
  }
}

TEST(IntelRows, HaveNoEventsOfPersistentMemoryWhereTheCpuHasNone) {
  for (const CounterEvent& event : IntelCommonEvents(/*without_pmm=*/true)) {
    EXPECT_EQ(event.source.find("PMM"), std::string_view::npos) << event.source;
  }
  EXPECT_EQ(IntelMemorySplit(/*without_pmm=*/true).size(), 1u);
}

}  // namespace intel_rows_test
}  // namespace pmdex
