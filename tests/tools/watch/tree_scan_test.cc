#include "tools/watch/tree_scan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/support/permission_scope.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace tree_scan_test {

struct Found {
  std::set<std::string> directories;
  std::map<std::string, PathKind> entries;
  std::map<std::string, int> problems;
};

Found Scan(const std::string& root_path, const std::string& excluded = "") {
  Found found;
  const auto root = TreeRoot::Open(root_path, excluded);
  EXPECT_TRUE(root.ok()) << root.status();
  ScanVisitor visitor;
  visitor.directory = [&](const std::string& path, int) { found.directories.insert(path); };
  visitor.entry = [&](const std::string& path, const PathFacts& facts) {
    found.entries[path] = facts.kind;
  };
  visitor.problem = [&](const std::string& path, int error) { found.problems[path] = error; };
  EXPECT_TRUE(ScanTree(*root, root->path(), visitor).ok());
  return found;
}

TEST(TreeScan, FindsAllFilesWithHostileNamesAndFollowsNoLink) {
  const TemporaryDirectory directory;
  const std::string tree = directory / "tree";
  directory.Write("tree/a", "x");
  directory.Write("tree/new\nline", "x");
  directory.Write("tree/\xff\xfe", "x");
  directory.Write("tree/.hidden/b", "x");
  directory.Write("outside/secret", "x");
  ASSERT_EQ(symlink("../outside", (tree + "/way").c_str()), 0);
  ASSERT_EQ(symlink(".", (tree + "/circle").c_str()), 0);
  ASSERT_EQ(mkfifo((tree + "/fifo").c_str(), 0600), 0);
  const Found found = Scan(tree);
  EXPECT_EQ(found.directories, (std::set<std::string>{tree, tree + "/.hidden"}));
  EXPECT_EQ(found.entries, (std::map<std::string, PathKind>{
                               {tree + "/a", PathKind::kFile},
                               {tree + "/new\nline", PathKind::kFile},
                               {tree + "/\xff\xfe", PathKind::kFile},
                               {tree + "/.hidden/b", PathKind::kFile},
                               {tree + "/way", PathKind::kLink},
                               {tree + "/circle", PathKind::kLink},
                               {tree + "/fifo", PathKind::kSpecial},
                           }));
  EXPECT_TRUE(found.problems.empty());
}

TEST(TreeScan, EntersNoIndexAndReportsWhatItMayNotEnter) {
  const TemporaryDirectory directory;
  directory.Write("tree/index/manifest", "x");
  directory.Write("tree/closed/a", "x");
  directory.Write("tree/b", "x");
  std::filesystem::permissions(directory / "tree/closed", std::filesystem::perms::none);
  const PermissionScope modes_count;
  const Found found = Scan(directory / "tree", directory / "tree/index");
  EXPECT_EQ(found.directories, std::set<std::string>{directory / "tree"});
  ASSERT_EQ(found.entries.size(), 1u);
  EXPECT_EQ(found.problems, (std::map<std::string, int>{{directory / "tree/closed", EACCES}}));
  std::filesystem::permissions(directory / "tree/closed", std::filesystem::perms::owner_all);
}

TEST(TreeScan, ADirectoryThatIsGoneIsAProblemAndNoError) {
  const TemporaryDirectory directory;
  directory.Write("tree/a", "x");
  const auto root = TreeRoot::Open(directory / "tree", "");
  ASSERT_TRUE(root.ok());
  int problem = 0;
  ScanVisitor visitor;
  visitor.problem = [&](const std::string&, int error) { problem = error; };
  EXPECT_TRUE(ScanTree(*root, directory / "tree/none", visitor).ok());
  EXPECT_EQ(problem, ENOENT);
}

}  // namespace tree_scan_test
}  // namespace pmdex
