#include "pmem/bad_blocks.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace bad_blocks_test {

std::string Device(dev_t device) {
  return absl::StrCat("sys/dev/block/", major(device), ":", minor(device));
}

TEST(BadBlocks, AreNotThereWithoutAList) {
  const TemporaryDirectory root;
  EXPECT_FALSE(DeviceHasBadBlocks(makedev(259, 0), root.path()));
}

TEST(BadBlocks, AreThereWhenTheListOfTheDeviceIsNotEmpty) {
  const TemporaryDirectory root;
  root.Write(Device(makedev(259, 0)) + "/badblocks", "\n");
  EXPECT_FALSE(DeviceHasBadBlocks(makedev(259, 0), root.path()));
  root.Write(Device(makedev(259, 0)) + "/badblocks", "2048 1\n");
  EXPECT_TRUE(DeviceHasBadBlocks(makedev(259, 0), root.path()));
}

TEST(BadBlocks, OfAPartitionAreInTheListOfItsDisk) {
  const TemporaryDirectory root;
  root.Write("sys/devices/pmem0/badblocks", "8 1\n");
  root.Write("sys/devices/pmem0/pmem0p1/partition", "1\n");
  std::filesystem::create_directories(root / "sys/dev/block");
  std::filesystem::create_directory_symlink("../../devices/pmem0/pmem0p1",
                                            root / Device(makedev(259, 1)));
  EXPECT_TRUE(DeviceHasBadBlocks(makedev(259, 1), root.path()));
}

class OrdinaryFile : public testing::Test {
 protected:
  void SetUp() override {
    file_ = std::fopen(root_.Write("file", "some bytes").c_str(), "r");
    ASSERT_NE(file_, nullptr);
  }
  void TearDown() override { std::fclose(file_); }

  const TemporaryDirectory root_;
  FILE* file_ = nullptr;
};

TEST_F(OrdinaryFile, HasNoKnownBadBlocks) {
  struct stat facts;
  ASSERT_EQ(fstat(fileno(file_), &facts), 0);
  const auto blocks = KnownBadBlocks(fileno(file_), facts.st_dev);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_TRUE(blocks->empty());
}

// The look of libpmem2 itself, at a file that is on no pmem namespace.
TEST_F(OrdinaryFile, HasNoneEvenWhenItsDeviceClaimsSome) {
  struct stat facts;
  ASSERT_EQ(fstat(fileno(file_), &facts), 0);
  root_.Write(Device(facts.st_dev) + "/badblocks", "0 8\n");
  const auto blocks = KnownBadBlocks(fileno(file_), facts.st_dev, root_.path());
  if (blocks.ok()) {
    EXPECT_TRUE(blocks->empty());
  } else {
    EXPECT_TRUE(absl::IsUnimplemented(blocks.status())) << blocks.status();
  }
}

TEST_F(OrdinaryFile, ThatIsNoneIsAnErrorOnADeviceWithBadBlocks) {
  struct stat facts;
  ASSERT_EQ(fstat(fileno(file_), &facts), 0);
  root_.Write(Device(facts.st_dev) + "/badblocks", "0 8\n");
  EXPECT_FALSE(KnownBadBlocks(-1, facts.st_dev, root_.path()).ok());
}

}  // namespace bad_blocks_test
}  // namespace pmdex
