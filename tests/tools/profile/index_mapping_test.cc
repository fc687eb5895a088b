#include "tools/profile/index_mapping.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace index_mapping_test {

constexpr char kSmaps[] =
    "7f0000000000-7f0000400000 r--s 00000000 fe:01 17                /pm/index/a.seg\n"
    "Size:               4096 kB\n"
    "KernelPageSize:        4 kB\n"
    "Rss:                3072 kB\n"
    "AnonHugePages:         0 kB\n"
    "ShmemPmdMapped:     2048 kB\n"
    "FilePmdMapped:         0 kB\n"
    "THPeligible:    1\n"
    "VmFlags: rd sh mr mw me ms sd\n"
    "7f0000400000-7f0000401000 r--s 00000000 fe:01 18                /pm/index/b.seg\n"
    "Size:                  4 kB\n"
    "Rss:                   4 kB\n"
    "7f0000500000-7f0000600000 r--p 00000000 fe:01 19                /pm/index2/a.seg\n"
    "Size:               1024 kB\n"
    "Rss:                1024 kB\n"
    "7f0000600000-7f0000700000 rw-p 00000000 00:00 0 \n"
    "Rss:                1024 kB\n";

TEST(IndexMapping, CountsTheFilesOfTheIndexByTheSizeOfTheirPages) {
  const auto mapping = MappingOf(kSmaps, "/pm/index");
  ASSERT_TRUE(mapping.has_value());
  EXPECT_EQ(mapping->bytes, uint64_t{4100} << 10);
  EXPECT_EQ(mapping->resident, uint64_t{3076} << 10);
  EXPECT_EQ(mapping->huge, uint64_t{2048} << 10);
}

TEST(IndexMapping, IsUnknownIfNothingIsMappedOrCounted) {
  EXPECT_FALSE(MappingOf(kSmaps, "/other").has_value());
  EXPECT_FALSE(
      MappingOf("7f0-7f1 r--s 0 fe:01 17 /pm/index/a.seg\nSize: 4 kB\nRss: 0 kB\n", "/pm/index")
          .has_value())
      << "pages of DAX are not counted";
  EXPECT_FALSE(MappingOf("/nonexistent/index").has_value());
}

}  // namespace index_mapping_test
}  // namespace pmdex
