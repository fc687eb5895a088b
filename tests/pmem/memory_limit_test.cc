#include "pmem/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/support/run_program.h"

namespace pmdex {
namespace memory_limit_test {

constexpr char kVersion2[] =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char kVersion1[] =
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

class ControlGroupMemory : public testing::Test {
 protected:
  void SetUpProcess(const std::string& mounts, const std::string& groups) const {
    root_.Write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
    root_.Write("proc/self/cgroup", groups);
  }
  void SetLimit(const std::string& file, const std::string& limit) const {
    root_.Write("sys/fs/cgroup/" + file, limit + "\n");
  }
  std::optional<uint64_t> Limit() const { return ControlGroupMemoryLimit(root_.path()); }

  const TemporaryDirectory root_;
};

TEST_F(ControlGroupMemory, HasNoLimitWhereThereAreNoGroups) {
  EXPECT_EQ(Limit(), std::nullopt);
  SetUpProcess("", "0::/\n");
  EXPECT_EQ(Limit(), std::nullopt);
}

TEST_F(ControlGroupMemory, IsTheLowestOfAllGroupsAbove) {
  SetUpProcess(kVersion2, "0::/machine.slice/job.scope\n");
  SetLimit("machine.slice/job.scope/memory.max", "max");
  EXPECT_EQ(Limit(), std::nullopt);
  SetLimit("machine.slice/memory.max", "419430400");
  EXPECT_EQ(Limit(), 419430400u);
  SetLimit("machine.slice/job.scope/memory.high", "300000000");
  EXPECT_EQ(Limit(), 300000000u);
  SetLimit("memory.max", "200000000");
  EXPECT_EQ(Limit(), 200000000u);
  SetLimit("other.slice/memory.max", "1");
  EXPECT_EQ(Limit(), 200000000u);
}

TEST_F(ControlGroupMemory, IsReadOfVersion1WhereThatHasTheController) {
  SetUpProcess(kVersion1, "4:memory:/batch/job7\n2:cpu,cpuacct:/batch\n0::/\n");
  SetLimit("memory/batch/job7/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(Limit(), std::nullopt) << "that is how version 1 says that there is none";
  SetLimit("memory/batch/memory.limit_in_bytes", "500000000");
  EXPECT_EQ(Limit(), 500000000u);
}

TEST_F(ControlGroupMemory, OfAContainerIsThatOfTheGroupThatIsMounted) {
  SetUpProcess("30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
               "0::/docker/abc/inner\n");
  SetLimit("memory.max", "700000000");
  SetLimit("inner/memory.max", "600000000");
  EXPECT_EQ(Limit(), 600000000u);
  SetUpProcess("30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "0::/elsewhere\n");
  EXPECT_EQ(Limit(), 700000000u);
}

TEST(UsableMemory, IsAtMostTheRam) {
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  EXPECT_GT(UsableMemoryBytes(), 0u);
  EXPECT_LE(UsableMemoryBytes(), pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace memory_limit_test
}  // namespace pmdex
