#include "engine/store/scratch_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "tests/support/run_program.h"

namespace pmdex {
namespace scratch_directory_test {

namespace fs = std::filesystem;

TEST(ScratchDirectory, HasAUniqueNameOnlyItsUserMayReadItAndItGoesWithItsContent) {
  const TemporaryDirectory root;
  std::optional<ScratchDirectory> first = *ScratchDirectory::Create(root.path());
  std::optional<ScratchDirectory> second = *ScratchDirectory::Create(root.path());
  EXPECT_NE(first->path(), second->path());
  EXPECT_TRUE(IsScratchDirectoryName(fs::path(first->path()).filename().string()));
  EXPECT_EQ(fs::status(first->path()).permissions(), fs::perms::owner_all);
  fs::create_directories(first->path() + "/a/b");
  root.Write(fs::path(first->path()).filename().string() + "/a/b/file", "x");
  first.reset();
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
  second.reset();
  EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST(ScratchDirectory, NamesAreExact) {
  EXPECT_TRUE(IsScratchDirectoryName(".pmdex-scratch-aZ09bc"));
  for (const char* name :
       {"", "tuning", ".pmdex-scratch-", ".pmdex-scratch-abcde", ".pmdex-scratch-abcdefg",
        ".pmdex-scratch-abc/ef", "pmdex-scratch-abcdef"}) {
    EXPECT_FALSE(IsScratchDirectoryName(name)) << name;
  }
}

TEST(ScratchDirectory, OfAKilledWriterIsRemovedAndNobodyElsesIs) {
  const TemporaryDirectory root;
  // Killed while it was in use: a copy of one, which nobody destroys.
  const std::string made = root / ".pmdex-scratch-killed";
  {
    const auto used = ScratchDirectory::Create(root.path());
    ASSERT_TRUE(used.ok()) << used.status();
    fs::copy(used->path(), made, fs::copy_options::recursive);
  }
  fs::create_directories(made + "/sample/0");
  // Killed before it was marked.
  fs::create_directory(root / ".pmdex-scratch-abcdef");
  // The user's own.
  root.Write("tuning/thesis.txt", "precious");
  root.Write(".pmdex-scratch-ABCDEF/thesis.txt", "precious");
  root.Write(".pmdex-scratch-forged/made-by-pmdex", "by somebody else");
  root.Write(".pmdex-scratch-aaaaaa", "a file");
  ASSERT_EQ(symlink("tuning", (root / ".pmdex-scratch-bbbbbb").c_str()), 0);
  RemoveScratchDirectories(root.path());
  EXPECT_FALSE(fs::exists(made));
  EXPECT_FALSE(fs::exists(root / ".pmdex-scratch-abcdef"));
  for (const char* kept :
       {"tuning/thesis.txt", ".pmdex-scratch-ABCDEF/thesis.txt",
        ".pmdex-scratch-forged/made-by-pmdex", ".pmdex-scratch-aaaaaa", ".pmdex-scratch-bbbbbb"}) {
    EXPECT_TRUE(fs::exists(root / kept)) << kept;
  }
}

TEST(ScratchDirectory, IsNotCreatedWhereNoneCanBe) {
  const TemporaryDirectory root;
  EXPECT_TRUE(absl::IsNotFound(ScratchDirectory::Create(root / "nowhere").status()));
}

}  // namespace scratch_directory_test
}  // namespace pmdex
