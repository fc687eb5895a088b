#include "tools/watch/tree_root.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/support/permission_scope.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace tree_root_test {

namespace fs = std::filesystem;

TEST(TreeRoot, NamesPathsAsThePathWasGiven) {
  const TemporaryDirectory directory;
  directory.Write("tree/a", "x");
  for (const char* given : {"/tree", "/tree/", "/tree//"}) {
    const auto root = TreeRoot::Open(directory.path() + given, "");
    ASSERT_TRUE(root.ok()) << root.status();
    EXPECT_EQ(root->path(), directory / "tree");
    EXPECT_TRUE(root->Contains(directory / "tree/a"));
    EXPECT_TRUE(root->Contains(directory / "tree"));
    EXPECT_FALSE(root->Contains(directory / "tree2"));
  }
  EXPECT_TRUE(absl::IsNotFound(TreeRoot::Open(directory / "none", "").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(TreeRoot::Open(directory / "tree/a", "").status()));
}

TEST(TreeRoot, TellsWhatThereIs) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("tree/sub/a", "12345");
  ASSERT_EQ(link(file.c_str(), (directory / "tree/b").c_str()), 0);
  ASSERT_EQ(symlink("sub/a", (directory / "tree/link").c_str()), 0);
  ASSERT_EQ(mkfifo((directory / "tree/fifo").c_str(), 0600), 0);
  const auto root = TreeRoot::Open(directory / "tree", "");
  ASSERT_TRUE(root.ok());
  PathFacts facts;
  ASSERT_EQ(root->Stat(file, facts), 0);
  EXPECT_EQ(facts.kind, PathKind::kFile);
  EXPECT_EQ(facts.facts.size_bytes, 5u);
  EXPECT_EQ(facts.links, 2u);
  EXPECT_EQ(facts.facts.device, root->device());
  PathFacts other;
  ASSERT_EQ(root->Stat(directory / "tree/b", other), 0);
  EXPECT_EQ(other.facts, facts.facts);
  ASSERT_EQ(root->Stat(directory / "tree/sub", facts), 0);
  EXPECT_EQ(facts.kind, PathKind::kDirectory);
  ASSERT_EQ(root->Stat(directory / "tree", facts), 0);
  EXPECT_EQ(facts.kind, PathKind::kDirectory);
  ASSERT_EQ(root->Stat(directory / "tree/link", facts), 0);
  EXPECT_EQ(facts.kind, PathKind::kLink);
  ASSERT_EQ(root->Stat(directory / "tree/fifo", facts), 0);
  EXPECT_EQ(facts.kind, PathKind::kSpecial);
  EXPECT_EQ(root->Stat(directory / "tree/none", facts), ENOENT);
}

TEST(TreeRoot, FollowsNoLinkBelowTheRoot) {
  const TemporaryDirectory directory;
  directory.Write("outside/secret", "x");
  directory.Write("tree/a", "x");
  ASSERT_EQ(symlink("../outside", (directory / "tree/way").c_str()), 0);
  ASSERT_EQ(symlink("tree", (directory / "given").c_str()), 0);
  const auto root = TreeRoot::Open(directory / "given", "");  // the root itself may be one
  ASSERT_TRUE(root.ok()) << root.status();
  PathFacts facts;
  EXPECT_EQ(root->Stat(directory / "given/a", facts), 0);
  EXPECT_NE(root->Stat(directory / "given/way/secret", facts), 0);
  EXPECT_FALSE(root->OpenPath(directory / "given/way", O_RDONLY | O_DIRECTORY).valid());
}

TEST(TreeRoot, LeavesOutTheDirectoryOfTheIndex) {
  const TemporaryDirectory directory;
  directory.Write("tree/index/manifest", "x");
  const auto root = TreeRoot::Open(directory / "tree", directory / "tree/index");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_FALSE(root->Contains(directory / "tree/index"));
  EXPECT_FALSE(root->Contains(directory / "tree/index/manifest"));
  EXPECT_TRUE(root->Contains(directory / "tree/index2"));
  EXPECT_TRUE(root->IsExcluded(root->OpenPath(directory / "tree/index", O_PATH).get()));
  EXPECT_FALSE(root->IsExcluded(root->OpenPath(directory / "tree", O_PATH).get()));
}

TEST(TreeRoot, KnowsWhatThisUserMayRead) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("tree/a", "x");
  const auto root = TreeRoot::Open(directory / "tree", "");
  ASSERT_TRUE(root.ok());
  const PermissionScope modes_count;
  PathFacts facts;
  ASSERT_EQ(root->Stat(file, facts), 0);
  EXPECT_TRUE(facts.is_readable);
  fs::permissions(file, fs::perms::none);
  ASSERT_EQ(root->Stat(file, facts), 0);
  EXPECT_FALSE(facts.is_readable);
}

}  // namespace tree_root_test
}  // namespace pmdex
