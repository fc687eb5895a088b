#include "tools/find/filled_directories.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/run_program.h"

namespace pmdex {
namespace filled_directories_test {

TEST(FilledDirectories, AreThoseThatAnEntryOfAnySegmentLiesIn) {
  const TemporaryDirectory directory(FastTemporaryParent());
  directory.Write("tree/full/x", "pear");
  std::filesystem::create_directories(directory / "tree/empty");
  std::filesystem::create_directories(directory / "tree/outer/inner");
  directory.Write("more/y", "apple");
  for (const char* tree : {"tree", "more"}) {
    const ProgramResult result = RunProgram(
        {PMDEX_BINARY, "index", directory / tree, "--index", directory / "index", "--attributes",
         "--quiet", std::string(tree) == "tree" ? "--overwrite" : "--append"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  const auto index = IndexEntries::Open(directory / "index", "");
  ASSERT_TRUE(index.ok()) << index.status();
  const auto filled = FilledDirectories::Find(*index);
  ASSERT_TRUE(filled.ok()) << filled.status();
  const auto contains = [&](const std::string& path) {
    return *filled->Contains(directory / path);
  };
  EXPECT_TRUE(contains("tree"));
  EXPECT_TRUE(contains("tree/full"));
  EXPECT_TRUE(contains("tree/full//")) << "as the path of a starting point may be";
  EXPECT_TRUE(contains("tree/outer"));
  EXPECT_TRUE(contains("more")) << "the other segment";
  EXPECT_FALSE(contains("tree/empty"));
  EXPECT_FALSE(contains("tree/outer/inner"));
  EXPECT_FALSE(contains("tree/ful"));
  EXPECT_FALSE(*FilledDirectories().Contains("tree"));
}

}  // namespace filled_directories_test
}  // namespace pmdex
