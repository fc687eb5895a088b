#include "pmem/descriptor_limit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "pmem/file_descriptor.h"

namespace pmdex {
namespace descriptor_limit_test {

class DescriptorLimit : public testing::Test {
 protected:
  DescriptorLimit() { EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0); }
  ~DescriptorLimit() override { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

  void SetSoft(rlim_t limit) const {
    const rlimit changed = {limit, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &changed), 0);
  }

  rlimit before_ = {};
};

TEST_F(DescriptorLimit, IsRaisedToTheHardOne) {
  SetSoft(100);
  RaiseDescriptorLimit();
  rlimit now = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, before_.rlim_max);
}

TEST_F(DescriptorLimit, CountsWhatIsOpen) {
  SetSoft(100);
  const uint64_t before = FreeDescriptors();
  EXPECT_GT(before, 1u);
  EXPECT_LT(before, 100u);
  const FileDescriptor one(open("/", O_RDONLY | O_CLOEXEC));
  const FileDescriptor two(open("/", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(FreeDescriptors(), before - 2);
}

}  // namespace descriptor_limit_test
}  // namespace pmdex
