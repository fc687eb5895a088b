#include "pmem/allocated_bytes.h"

#include <string>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace allocated_bytes_test {

TEST(AllocatedBytes, AreWholePagesAndOfALargeFileWholeHugePages) {
  EXPECT_EQ(AllocatedBytes(0), 4096u);
  EXPECT_EQ(AllocatedBytes(1), 4096u);
  EXPECT_EQ(AllocatedBytes(4096), 4096u);
  EXPECT_EQ(AllocatedBytes(4097), 8192u);
  EXPECT_EQ(AllocatedBytes(kHugePageBytes - 1), kHugePageBytes);
  EXPECT_EQ(AllocatedBytes(kHugePageBytes), kHugePageBytes);
  EXPECT_EQ(AllocatedBytes(kHugePageBytes + 1), 2 * kHugePageBytes);
}

TEST(AllocatedBytes, AreTheCapacityOfANewFile) {
  const TemporaryDirectory temporary;
  const auto directory = OpenFileDirectory(temporary.path(), {});
  ASSERT_TRUE(directory.ok()) << directory.status();
  for (const uint64_t wanted : {uint64_t{0}, uint64_t{5000}, kHugePageBytes + 1}) {
    const auto file = (*directory)->Create("file" + std::to_string(wanted), wanted);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->capacity_bytes(), AllocatedBytes(wanted));
  }
}

}  // namespace allocated_bytes_test
}  // namespace pmdex
