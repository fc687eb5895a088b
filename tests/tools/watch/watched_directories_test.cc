#include "tools/watch/watched_directories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pmdex {
namespace watched_directories_test {

std::string PathOf(const WatchedDirectories& directories, int watch) {
  const std::string* const path = directories.Find(watch);
  return path == nullptr ? "" : *path;
}

TEST(WatchedDirectories, ForgetsADirectoryWithAllBelowItAndNothingBesideIt) {
  WatchedDirectories directories;
  const std::vector<std::string> paths = {"t", "t/a", "t/a-b", "t/a.b", "t/a/x", "t/a/x/y", "t/ab"};
  for (size_t i = 0; i < paths.size(); ++i) directories.Set(static_cast<int>(i) + 1, paths[i]);
  std::vector<int> forgotten = directories.ForgetBelow("t/a");
  std::sort(forgotten.begin(), forgotten.end());
  EXPECT_EQ(forgotten, (std::vector<int>{2, 5, 6}));
  EXPECT_EQ(directories.size(), 4u);
  EXPECT_EQ(PathOf(directories, 3), "t/a-b");
  EXPECT_EQ(PathOf(directories, 5), "");
}

TEST(WatchedDirectories, AWatchFollowsItsDirectoryToAnotherPath) {
  WatchedDirectories directories;
  directories.Set(1, "t/old");
  directories.Set(1, "t/new");
  EXPECT_EQ(PathOf(directories, 1), "t/new");
  EXPECT_TRUE(directories.ForgetBelow("t/old").empty());
  EXPECT_EQ(directories.size(), 1u);
}

TEST(WatchedDirectories, APathHasOneWatch) {
  WatchedDirectories directories;
  directories.Set(1, "t/a");
  directories.Set(2, "t/a");  // removed and made anew
  EXPECT_EQ(directories.Find(1), nullptr);
  EXPECT_EQ(PathOf(directories, 2), "t/a");
  directories.Forget(1);  // what the kernel says of the old one comes late
  EXPECT_EQ(PathOf(directories, 2), "t/a");
  directories.Forget(2);
  EXPECT_EQ(directories.size(), 0u);
}

}  // namespace watched_directories_test
}  // namespace pmdex
