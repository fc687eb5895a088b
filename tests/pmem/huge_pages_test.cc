// Checks that the process uses 2 MiB pages, by the counts of the kernel. probes_test.cc reads which
// pages the kernel has.
#include "pmem/huge_pages.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

#include "pmem/huge_buffer.h"

namespace pmdex {
namespace huge_pages_test {

constexpr size_t kBytes = size_t{8} << 20;

// KiB of anonymous 2 MiB pages that this process has.
long HugeKib() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("AnonHugePages:")) return std::strtol(line.c_str() + 14, nullptr, 10);
  }
  return 0;
}

// What a large buffer has of them once it is written.
long HugeKibOfABuffer() {
  const long before = HugeKib();
  HugeBuffer buffer(kBytes);
  std::memset(buffer.data(), 1, buffer.size_bytes());
  return HugeKib() - before;
}

TEST(HugePageScope, GivesNoneWhenOffAndRestoresWhatWasBefore) {
  const long usual = HugeKibOfABuffer();
  if (usual <= 0) GTEST_SKIP() << "this kernel gives no 2 MiB pages";
  {
    const auto off = HugePageScope::Open(HugePageUse::kOff);
    ASSERT_TRUE(off.ok()) << off.status();
    EXPECT_EQ(HugeKibOfABuffer(), 0);
  }
  EXPECT_EQ(HugeKibOfABuffer(), usual);
}

TEST(HugePageScope, OnOverridesAProcessThatWasStartedWithoutAny) {
  const long usual = HugeKibOfABuffer();
  if (usual <= 0) GTEST_SKIP() << "this kernel gives no 2 MiB pages";
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  {
    const auto automatic = HugePageScope::Open(HugePageUse::kAuto);
    ASSERT_TRUE(automatic.ok());
    EXPECT_EQ(HugeKibOfABuffer(), 0);  // auto leaves it as it is
  }
  {
    const auto on = HugePageScope::Open(HugePageUse::kOn);
    ASSERT_TRUE(on.ok()) << on.status();
    EXPECT_EQ(HugeKibOfABuffer(), usual);
  }
  EXPECT_EQ(HugeKibOfABuffer(), 0);
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
}

TEST(HugePageScope, OnIsRefusedWhereTheKernelGivesNone) {
  const std::string root = testing::TempDir() + "/huge-page-scope";
  const std::string folder = root + "/sys/kernel/mm/transparent_hugepage";
  std::filesystem::create_directories(folder);
  const auto missing = HugePageScope::Open(HugePageUse::kOn, root);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kFailedPrecondition);
  std::ofstream(folder + "/enabled") << "always madvise [never]\n";
  const auto never = HugePageScope::Open(HugePageUse::kOn, root);
  EXPECT_EQ(never.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(HugePageScope::Open(HugePageUse::kAuto, root).ok());
  std::filesystem::remove_all(root);
}

TEST(HugePageUse, HasNamesThatParseBack) {
  for (const HugePageUse use : {HugePageUse::kAuto, HugePageUse::kOn, HugePageUse::kOff}) {
    EXPECT_EQ(*ParseHugePageUse(ToString(use)), use);
  }
  EXPECT_FALSE(ParseHugePageUse("yes").ok());
}

}  // namespace huge_pages_test
}  // namespace pmdex
