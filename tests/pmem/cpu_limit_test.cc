#include "pmem/cpu_limit.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>

#include "pmem/numa_placement.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace cpu_limit_test {

constexpr char kVersion2[] =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char kVersion1[] =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

class ControlGroupCpu : public testing::Test {
 protected:
  void SetUpProcess(const std::string& mounts, const std::string& groups) const {
    root_.Write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
    root_.Write("proc/self/cgroup", groups);
  }
  void Set(const std::string& file, const std::string& text) const {
    root_.Write("sys/fs/cgroup/" + file, text + "\n");
  }
  std::optional<uint64_t> Limit() const { return ControlGroupCpuLimit(root_.path()); }

  const TemporaryDirectory root_;
};

TEST_F(ControlGroupCpu, HasNoLimitWhereNoGroupHasOne) {
  EXPECT_EQ(Limit(), std::nullopt);
  SetUpProcess(kVersion2, "0::/job.scope\n");
  EXPECT_EQ(Limit(), std::nullopt);
  for (const char* text : {"max 100000", "max", "", "0 100000", "50000 0", "many 100000", "5"}) {
    Set("job.scope/cpu.max", text);
    EXPECT_EQ(Limit(), std::nullopt) << text;
  }
}

TEST_F(ControlGroupCpu, IsTheLowestQuotaOfAllGroupsAboveRoundedUp) {
  SetUpProcess(kVersion2, "0::/machine.slice/job.scope\n");
  Set("machine.slice/job.scope/cpu.max", "400000 100000");
  EXPECT_EQ(Limit(), 4u);
  Set("machine.slice/cpu.max", "250000 100000");
  EXPECT_EQ(Limit(), 3u);
  Set("cpu.max", "1000 50000");
  EXPECT_EQ(Limit(), 1u);
  Set("other.slice/cpu.max", "1 100000");
  Set("cpu.max", "max 100000");
  EXPECT_EQ(Limit(), 3u);
}

TEST_F(ControlGroupCpu, IsReadOfVersion1WhereThatHasTheController) {
  SetUpProcess(kVersion1, "4:memory:/batch/job7\n3:cpuset:/\n2:cpu,cpuacct:/batch/job7\n");
  Set("cpu,cpuacct/batch/job7/cpu.cfs_quota_us", "-1");
  Set("cpu,cpuacct/batch/job7/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Limit(), std::nullopt) << "that is how version 1 says that there is none";
  Set("cpu,cpuacct/batch/cpu.cfs_quota_us", "150000");
  EXPECT_EQ(Limit(), std::nullopt) << "a quota without a period";
  Set("cpu,cpuacct/batch/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Limit(), 2u);
}

TEST_F(ControlGroupCpu, BoundsTheCpusThatThisProcessMayUse) {
  const int without_quota = UsableCpus(root_.path());
  EXPECT_GE(without_quota, 1);
  SetUpProcess(kVersion2, "0::/\n");
  Set("cpu.max", "20000 100000");
  EXPECT_EQ(UsableCpus(root_.path()), 1);
  Set("cpu.max", "999900000 100000");
  EXPECT_EQ(UsableCpus(root_.path()), without_quota);
}

TEST_F(ControlGroupCpu, CpusThatTheThreadMayNotRunOnDoNotCount) {
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed.ok()) << allowed.status();
  EXPECT_EQ(UsableCpus(root_.path()), static_cast<int>(allowed->size()));
  int bound_to_one = 0;
  std::thread([&] {
    if (RunOnCpus({&allowed->front(), 1}).ok()) bound_to_one = UsableCpus(root_.path());
  }).join();
  EXPECT_EQ(bound_to_one, 1);
}

}  // namespace cpu_limit_test
}  // namespace pmdex
