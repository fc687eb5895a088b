#include "pmem/control_groups.h"

#include <gtest/gtest.h>

#include "tests/support/run_program.h"

namespace pmdex {
namespace control_groups_test {

using Folders = std::vector<std::string>;

TEST(ControlGroups, AreTheProcessGroupAndAllAboveIt) {
  const TemporaryDirectory root;
  const auto folders = [&](ControlGroupVersion version, std::string_view controller) {
    return ControlGroupFolders(root.path(), version, controller);
  };
  EXPECT_EQ(folders(ControlGroupVersion::k2, "memory"), Folders());
  root.Write("proc/self/mountinfo",
             "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
             "not a line of it\n"
             "32 31 0:29 / /sys/fs/cgroup/cpu rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
             "41 31 0:38 /box /unified rw,relatime - cgroup2 cgroup2 rw\n");
  root.Write("proc/self/cgroup", "2:cpu,cpuacct:/\n0::/box/a/b\n");
  EXPECT_EQ(folders(ControlGroupVersion::k2, "memory"),
            Folders({"unified/a/b", "unified/a", "unified"}));
  EXPECT_EQ(folders(ControlGroupVersion::k1, "cpu"),
            Folders({"sys/fs/cgroup/cpu/", "sys/fs/cgroup/cpu"}));
  EXPECT_EQ(folders(ControlGroupVersion::k1, "memory"), Folders()) << "it has no such hierarchy";
  root.Write("proc/self/cgroup", "2:cpu,cpuacct:/\n0::/elsewhere\n");
  EXPECT_EQ(folders(ControlGroupVersion::k2, "cpu"), Folders({"unified"}))
      << "a container shows the group that is mounted as the process' own";
}

}  // namespace control_groups_test
}  // namespace pmdex
