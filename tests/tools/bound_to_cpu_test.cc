#include "tools/bound_to_cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmem/numa_placement.h"

namespace pmdex {
namespace bound_to_cpu_test {

TEST(BoundToCpu, BindsTheThreadUntilItsEnd) {
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed.ok()) << allowed.status();
  const int last = allowed->back();
  {
    const BoundToCpu bound({-1, last}, 3);
    EXPECT_THAT(*AllowedCpus(), testing::ElementsAre(last));
  }
  EXPECT_EQ(*AllowedCpus(), *allowed);
}

TEST(BoundToCpu, LeavesTheThreadAloneWithoutACpu) {
  const auto allowed = AllowedCpus();
  const BoundToCpu bound({}, 0);
  EXPECT_EQ(*AllowedCpus(), *allowed);
}

}  // namespace bound_to_cpu_test
}  // namespace pmdex
