#include "pmem/block_io/direct_file.h"

#include "tests/pmem/block_io/block_file.h"

namespace pmdex {
namespace direct_file_test {

TEST(DirectFile, GivesEachOpenFileANumberOfItsOwn) {
  const BlockFile file(256, 1);
  const auto again = DirectFile::Open(file.path());
  ASSERT_TRUE(again.ok());
  EXPECT_NE((*again)->number(), file.direct().number());
}

TEST(DirectFile, NamesAFileThatIsMissing) {
  const auto missing = DirectFile::Open("/nowhere/at all");
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(missing.status().message(), "/nowhere/at all: No such file or directory");
}

}  // namespace direct_file_test
}  // namespace pmdex
