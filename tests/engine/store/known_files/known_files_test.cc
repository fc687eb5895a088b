#include "engine/store/known_files/known_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/known_files/known_file.h"

namespace pmdex {
namespace known_files_test {

KnownFile FileOf(uint64_t inode) {
  return {{10, 20, inode, 1}, KnownState::kIndexed, false};
}

std::vector<std::string> Below(const KnownFiles& known, const std::string& directory) {
  std::vector<std::string> paths;
  known.ForEachBelow(directory,
                     [&](const std::string& path, const KnownFile&) { paths.push_back(path); });
  return paths;
}

TEST(KnownFiles, FindsWhatLiesBelowADirectoryAndNothingBesideIt) {
  KnownFiles known;
  for (const char* path : {"tree", "tree-2/a", "tree.txt", "tree/a", "tree/sub/b", "tree0"}) {
    known.Set(path, FileOf(known.size()));
  }
  EXPECT_EQ(Below(known, "tree"), (std::vector<std::string>{"tree/a", "tree/sub/b"}));
  EXPECT_EQ(Below(known, "tree/"), Below(known, "tree"));
  EXPECT_EQ(Below(known, "tree/sub"), std::vector<std::string>{"tree/sub/b"});
  EXPECT_TRUE(Below(known, "tre").empty());
}

TEST(KnownFiles, TakesFilesThatNobodyHasLookedAtForNoNamesOfOne) {
  KnownFiles known;
  known.Set("d", FileOf(0));
  known.Set("e", FileOf(0));
  EXPECT_TRUE(known.PathsOf(1, 0).empty()) << "nobody has looked at these";
  known.Set("d", FileOf(9));
  known.Remove("e");
  EXPECT_EQ(known.PathsOf(1, 9), std::vector<std::string>{"d"});
}

TEST(KnownFiles, KnowsAllNamesOfAFile) {
  KnownFiles known;
  known.Set("b", FileOf(7));
  known.Set("a", FileOf(7));
  known.Set("c", FileOf(8));
  EXPECT_EQ(known.PathsOf(1, 7), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(known.PathsOf(2, 7).empty());
  known.Set("b", FileOf(8));  // replaced by another file
  EXPECT_EQ(known.PathsOf(1, 7), std::vector<std::string>{"a"});
  EXPECT_EQ(known.PathsOf(1, 8), (std::vector<std::string>{"b", "c"}));
  known.Remove("a");
  EXPECT_TRUE(known.PathsOf(1, 7).empty());
  EXPECT_EQ(known.size(), 2u);
}

TEST(KnownFiles, CountsOnlyRealChanges) {
  KnownFiles known;
  known.Set("a", FileOf(1));
  known.Set("b", FileOf(2));
  known.ClearChanges();
  known.Set("a", FileOf(1));
  known.Remove("nothing");
  EXPECT_TRUE(known.changes().empty());
  known.Set("a", FileOf(3));
  known.Remove("b");
  EXPECT_EQ(known.changes(), (std::set<std::string, std::less<>>{"a", "b"}));
  EXPECT_EQ(known.Find("b"), nullptr);
  ASSERT_NE(known.Find("a"), nullptr);
  EXPECT_EQ(*known.Find("a"), FileOf(3));
}

}  // namespace known_files_test
}  // namespace pmdex
