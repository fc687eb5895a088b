#include "tools/profile/thread_usage.h"

#include <gtest/gtest.h>
#include <time.h>

#include <thread>

namespace pmdex {
namespace thread_usage_test {

// Uses the CPU until the clock of the thread has advanced so far.
void ComputeFor(double ns) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  volatile unsigned sink = 0;
  for (const double end = now() + ns; now() < end;) sink = sink + 1;
}

TEST(ThreadUsage, HasTheTimeOfTheCallingThreadOnly) {
  std::thread([] {
    const ThreadUsage before = UsageOfThisThread();
    std::thread([] { ComputeFor(200e6); }).join();
    const ThreadUsage between = UsageOfThisThread();
    ComputeFor(200e6);
    const ThreadUsage after = UsageOfThisThread();
    EXPECT_LT((between - before).cpu_ns(), 190e6) << "another thread computed";
    EXPECT_GT((after - between).cpu_ns(), 150e6);
    EXPECT_TRUE((after - between).DividesCpuTime());
  }).join();
}

TEST(ThreadUsage, AddsUpAndSubtractsEachPart) {
  const ThreadUsage one = {1, 2, 3, 4, 5, 6};
  ThreadUsage sum = {10, 20, 30, 40, 50, 60};
  sum += one;
  const ThreadUsage difference = sum - one;
  EXPECT_EQ(sum.cpu_ns(), 33);
  EXPECT_EQ(sum.faults(), 77);
  EXPECT_EQ(sum.switches(), 121);
  EXPECT_EQ(difference.user_ns, 10);
  EXPECT_EQ(difference.system_ns, 20);
  EXPECT_EQ(difference.minor_faults, 30);
  EXPECT_EQ(difference.major_faults, 40);
  EXPECT_EQ(difference.voluntary_switches, 50);
  EXPECT_EQ(difference.involuntary_switches, 60);
  EXPECT_FALSE(difference.DividesCpuTime());
}

}  // namespace thread_usage_test
}  // namespace pmdex
