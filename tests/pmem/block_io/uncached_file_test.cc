#include "pmem/block_io/uncached_file.h"

#include "tests/pmem/block_io/block_file.h"

namespace pmdex {
namespace uncached_file_test {

TEST(UncachedFile, GivesEachOpenFileANumberOfItsOwn) {
  const BlockFile file(256, 1);
  const auto again = UncachedFile::Open(file.path());
  ASSERT_TRUE(again.ok());
  EXPECT_NE((*again)->number(), file.direct().number());
}

TEST(UncachedFile, NamesAFileThatIsMissing) {
  const auto missing = UncachedFile::Open("/nowhere/at all");
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(missing.status().message(), "open /nowhere/at all: No such file or directory");
}

}  // namespace uncached_file_test
}  // namespace pmdex
