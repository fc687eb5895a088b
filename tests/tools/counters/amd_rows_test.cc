#include "tools/counters/amd_rows.h"

#include <gtest/gtest.h>

#include <set>

namespace pmdex {
namespace amd_rows_test {

TEST(AmdRows, CountEveryEventInAGroup) {
  std::set<std::string_view> counted;
  for (const EventGroup& group : AmdGroups()) {
    counted.insert(group.events.begin(), group.events.end());
  }
  for (const CounterEvent& event : AmdEvents()) {
    EXPECT_TRUE(counted.contains(event.name)) << event.name;
  }
}

// config: bits 0-7 and 32-35 are the event, bits 8-15 the mask.
TEST(AmdRows, PutTheHighBitsOfTheEventAtBit32) {
  for (const CounterEvent& event : AmdEvents()) {
    if (!event.source.starts_with("de_no_dispatch_per_slot")) continue;
    EXPECT_EQ((event.config & 0xff) | (event.config >> 32 & 0xf) << 8, 0x1a0u) << event.source;
  }
}

}  // namespace amd_rows_test
}  // namespace pmdex
