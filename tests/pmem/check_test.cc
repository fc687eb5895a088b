#include "pmem/check.h"

#include <csignal>

#include "gtest/gtest.h"

namespace pmdex {
namespace check_test {

TEST(CheckDeathTest, NamesTheConditionAndThePlace) {
  EXPECT_DEATH(PMDEX_CHECK(1 + 1 == 3), "broken invariant at .*check_test.cc:[0-9]+: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, CheckFailedPrintsItsArgumentsAndAborts) {
  EXPECT_EXIT(CheckFailed("some/file.cc", 17, "n > 0"), testing::KilledBySignal(SIGABRT),
              "broken invariant at some/file.cc:17: n > 0");
}

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  PMDEX_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

#ifdef NDEBUG
TEST(Check, DebugFormCostsNothingInARelease) {
  int evaluated = 0;
  PMDEX_DCHECK(++evaluated == 0);
  EXPECT_EQ(evaluated, 0);
}
#else
TEST(CheckDeathTest, DebugFormChecks) {
  EXPECT_DEATH(PMDEX_DCHECK(false), "broken invariant");
}
#endif

}  // namespace check_test
}  // namespace pmdex
