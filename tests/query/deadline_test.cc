#include "query/deadline.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace deadline_test {

using Clock = std::chrono::steady_clock;

const Deadline kOver = Clock::time_point::min();
const Deadline kFar = Clock::time_point::max();

TEST(Deadline, IsPastOnceItsTimeHasCome) {
  EXPECT_FALSE(IsPast(kNoDeadline));
  EXPECT_FALSE(IsPast(kFar));
  EXPECT_TRUE(IsPast(kOver));
  EXPECT_TRUE(IsPast(Clock::now()));
}

TEST(DeadlineWatch, LooksBeforeTheFirstStep) {
  DeadlineWatch late(kOver);
  EXPECT_FALSE(late.is_over());
  EXPECT_TRUE(late.IsOver(1));
  EXPECT_TRUE(late.is_over());
  DeadlineWatch timely(kFar);
  EXPECT_FALSE(timely.IsOver(1));
}

TEST(DeadlineWatch, LooksOnceForSoMuchWork) {
  Deadline deadline = kFar;
  DeadlineWatch watch(deadline);
  EXPECT_FALSE(watch.IsOver(1));
  deadline = kOver;
  for (uint64_t i = 1; i < DeadlineWatch::kWorkPerLook; ++i) ASSERT_FALSE(watch.IsOver(1)) << i;
  EXPECT_TRUE(watch.IsOver(1));
}

TEST(DeadlineWatch, LooksAtEveryStepOfMuchWork) {
  Deadline deadline = kFar;
  DeadlineWatch watch(deadline);
  EXPECT_FALSE(watch.IsOver(1));
  deadline = kOver;
  EXPECT_TRUE(watch.IsOver(uint64_t{1} << 40));
}

TEST(DeadlineWatch, StaysOver) {
  Deadline deadline = kOver;
  DeadlineWatch watch(deadline);
  EXPECT_TRUE(watch.IsOver(1));
  deadline = kFar;
  for (uint64_t i = 0; i < 3 * DeadlineWatch::kWorkPerLook; ++i) ASSERT_TRUE(watch.IsOver(1));
}

TEST(DeadlineWatch, NeverEndsWithoutADeadline) {
  DeadlineWatch watch(kNoDeadline);
  for (uint64_t i = 0; i < 3 * DeadlineWatch::kWorkPerLook; ++i) ASSERT_FALSE(watch.IsOver(1));
}

}  // namespace deadline_test
}  // namespace pmdex
