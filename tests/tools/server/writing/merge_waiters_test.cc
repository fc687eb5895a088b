#include "tools/server/writing/merge_waiters.h"

#include <gtest/gtest.h>

#include <optional>

namespace pmdex {
namespace merge_waiters_test {

TEST(MergeWaiters, HaveAsManyPlacesAsTheyMay) {
  MergeWaiters waiters(2);
  std::optional<MergeWaiters::Place> first(&waiters);
  const MergeWaiters::Place second(&waiters);
  {
    const MergeWaiters::Place third(&waiters);
    EXPECT_TRUE(first->has_place());
    EXPECT_TRUE(second.has_place());
    EXPECT_FALSE(third.has_place());
    EXPECT_EQ(waiters.count(), 2u);
  }
  EXPECT_EQ(waiters.count(), 2u);
  first.reset();
  EXPECT_EQ(waiters.count(), 1u);
  EXPECT_TRUE(MergeWaiters::Place(&waiters).has_place());
  EXPECT_TRUE(MergeWaiters::Place(nullptr).has_place());
}

}  // namespace merge_waiters_test
}  // namespace pmdex
