#include "pmem/directory_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/run_program.h"

namespace pmdex {
namespace directory_path_test {

TEST(DirectoryPath, MakesParentsWithTheModeThatWasAskedFor) {
  const TemporaryDirectory root;
  FileDirectoryOptions options;
  options.mode = 0640;
  ASSERT_TRUE(MakeDirectories(root / "a/b", options).ok());
  struct stat facts;
  ASSERT_EQ(stat((root / "a/b").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0750u);
  EXPECT_TRUE(OpenWithoutLinks(root / "a/b").ok());
  EXPECT_TRUE(absl::IsNotFound(OpenWithoutLinks(root / "a/c").status()));
}

TEST(DirectoryPath, IsNotFollowedThroughLinks) {
  const TemporaryDirectory root;
  ASSERT_TRUE(MakeDirectories(root / "real/deep", {}).ok());
  std::filesystem::create_directory_symlink(root / "real", root / "link");
  std::filesystem::create_directory_symlink(root / "real/deep", root / "real/last");
  for (const char* path : {"link", "link/deep", "real/last"}) {
    EXPECT_EQ(OpenWithoutLinks(root / path).status().code(), absl::StatusCode::kFailedPrecondition)
        << path;
  }
}

}  // namespace directory_path_test
}  // namespace pmdex
