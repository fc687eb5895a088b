#include "tools/watch/tree_comparison.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/permission_scope.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace tree_comparison_test {

namespace fs = std::filesystem;
using TimePoint = DueChange::TimePoint;

class Comparison : public testing::Test {
 protected:
  Comparison() {
    fs::create_directories(directory_ / "tree");
    roots_.push_back(*TreeRoot::Open(directory_ / "tree", ""));
  }

  std::string Path(const std::string& name) const { return directory_ / "tree/" + name; }

  // Compares the whole tree, or looks at these paths, and takes note of what was found.
  TreeDifference Look(const std::vector<DueChange>& changes) {
    TreeComparison comparison(roots_, known_, problems_);
    for (const DueChange& change : changes) EXPECT_TRUE(comparison.LookAt(change).ok());
    TreeDifference difference = comparison.Take();
    for (const RemovedFile& file : difference.removed) known_.Remove(file.path);
    for (const FileToRead& file : difference.to_read) known_.Set(file.path, {file.facts});
    return difference;
  }
  TreeDifference Rescan() { return Look({{roots_[0].path(), false, true, TimePoint()}}); }
  DueChange Hint(const std::string& name, bool is_written = false) const {
    return {Path(name), is_written, false, TimePoint()};
  }

  static std::vector<std::string> Read(const TreeDifference& difference) {
    std::vector<std::string> paths;
    for (const FileToRead& file : difference.to_read) paths.push_back(file.path);
    return paths;
  }
  static std::vector<std::string> Removed(const TreeDifference& difference) {
    std::vector<std::string> paths;
    for (const RemovedFile& file : difference.removed) paths.push_back(file.path);
    return paths;
  }
  using Paths = std::vector<std::string>;

  const TemporaryDirectory directory_;
  std::vector<TreeRoot> roots_;
  KnownFiles known_;
  ProblemLog problems_;
};

TEST_F(Comparison, ReadsWhatIsNewAndNothingTwice) {
  directory_.Write("tree/a", "x");
  directory_.Write("tree/sub/b", "x");
  EXPECT_EQ(Read(Rescan()), (Paths{Path("a"), Path("sub/b")}));
  const TreeDifference again = Rescan();
  EXPECT_TRUE(again.IsEmpty());
  EXPECT_EQ(again.unchanged, 2u);
  directory_.Write("tree/a", "longer");
  EXPECT_EQ(Read(Rescan()), Paths{Path("a")});
  ASSERT_EQ(unlink(Path("sub/b").c_str()), 0);
  EXPECT_EQ(Removed(Rescan()), Paths{Path("sub/b")});
}

TEST_F(Comparison, ReadsAWrittenFileWhateverItsFactsSay) {
  directory_.Write("tree/a", "x");
  Rescan();
  EXPECT_TRUE(Look({Hint("a")}).IsEmpty());
  EXPECT_EQ(Read(Look({Hint("a", /*is_written=*/true)})), Paths{Path("a")});
}

TEST_F(Comparison, ReadsAgainWhatMayHaveChangedInTheSameTick) {
  directory_.Write("tree/a", "x");
  Rescan();
  KnownFile known = *known_.Find(Path("a"));
  known.is_racy = true;
  known_.Set(Path("a"), known);
  EXPECT_EQ(Read(Rescan()), Paths{Path("a")});
  known.is_racy = false;
  known.state = KnownState::kUnreadable;
  known_.Set(Path("a"), known);
  EXPECT_EQ(Read(Rescan()), Paths{Path("a")});
}

TEST_F(Comparison, TellsARenameFromANewFile) {
  directory_.Write("tree/a", "x");
  directory_.Write("tree/z", "y");
  Rescan();
  ASSERT_EQ(rename(Path("a").c_str(), Path("b").c_str()), 0);
  directory_.Write("tree/0", "new");
  const TreeDifference difference = Look({Hint("a"), Hint("b"), Hint("0", true)});
  ASSERT_EQ(Read(difference), (Paths{Path("b"), Path("0")}));  // renamed files come first
  EXPECT_EQ(difference.to_read[0].renamed_from, Path("a"));
  EXPECT_EQ(difference.to_read[1].renamed_from, "");
  ASSERT_EQ(difference.removed.size(), 1u);
  EXPECT_TRUE(difference.removed[0].is_renamed);
}

TEST_F(Comparison, ARenamedDirectoryRenamesAllFilesBelowIt) {
  directory_.Write("tree/old/a", "1");
  directory_.Write("tree/old/sub/b", "2");
  Rescan();
  ASSERT_EQ(rename(Path("old").c_str(), Path("new").c_str()), 0);
  const TreeDifference difference = Look({Hint("old"), Hint("new")});
  EXPECT_EQ(Read(difference), (Paths{Path("new/a"), Path("new/sub/b")}));
  EXPECT_EQ(Removed(difference), (Paths{Path("old/a"), Path("old/sub/b")}));
  for (const FileToRead& file : difference.to_read) EXPECT_NE(file.renamed_from, "");
}

TEST_F(Comparison, KnowsTheContentOfAFileAtAnotherPath) {
  directory_.Write("tree/a", "x");
  directory_.Write("tree/b.gz", "y");
  Rescan();
  fs::rename(Path("a"), Path("c"));
  fs::rename(Path("b.gz"), Path("d"));  // it may have been decompressed
  const TreeDifference difference = Rescan();
  ASSERT_EQ(Read(difference), (Paths{Path("c"), Path("d")}));
  EXPECT_EQ(difference.to_read[0].same_as, Path("a"));
  EXPECT_EQ(difference.to_read[1].same_as, "");
  // The file is at both paths.
  ASSERT_EQ(link(Path("c").c_str(), Path("e").c_str()), 0);
  for (const FileToRead& file : Rescan().to_read) EXPECT_EQ(file.same_as, "");
}

TEST_F(Comparison, NamesOfOneFileAreRenamedEachByItself) {
  directory_.Write("tree/old/a", "x");
  ASSERT_EQ(link(Path("old/a").c_str(), Path("old/b").c_str()), 0);
  Rescan();
  fs::rename(Path("old"), Path("new"));
  ASSERT_EQ(link(Path("new/a").c_str(), Path("new/c").c_str()), 0);
  std::set<std::string> same_as;
  for (const FileToRead& file : Rescan().to_read) same_as.insert(file.same_as);
  EXPECT_EQ(same_as, (std::set<std::string>{Path("old/a"), Path("old/b"), ""}));
}

TEST_F(Comparison, ARotatedLogIsTheSameAtItsNextName) {
  directory_.Write("tree/log", "new");
  directory_.Write("tree/log.1", "older");
  Rescan();
  fs::rename(Path("log.1"), Path("log.2"));
  fs::rename(Path("log"), Path("log.1"));
  directory_.Write("tree/log", "another");
  const TreeDifference difference = Rescan();
  ASSERT_EQ(Read(difference), (Paths{Path("log.1"), Path("log.2"), Path("log")}));
  EXPECT_EQ(difference.to_read[0].same_as, Path("log"));
  EXPECT_EQ(difference.to_read[1].same_as, Path("log.1"));
  EXPECT_EQ(difference.to_read[2].same_as, "");
  EXPECT_TRUE(difference.removed.empty());
}

TEST_F(Comparison, DoesNotTrustWhatMayHaveChanged) {
  const auto rename_after = [this](const std::vector<DueChange>& before) {
    directory_.Write("tree/a", "x");
    fs::remove(Path("b"));
    Rescan();
    if (before.empty()) {
      KnownFile known = *known_.Find(Path("a"));
      known.is_racy = true;
      known_.Set(Path("a"), known);
    }
    fs::rename(Path("a"), Path("b"));
    std::vector<DueChange> changes = before;
    changes.insert(changes.end(), {Hint("a"), Hint("b")});
    return Look(changes).to_read.at(0);
  };
  EXPECT_EQ(rename_after({Hint("a")}).same_as, Path("a"));
  EXPECT_EQ(rename_after({Hint("a", /*is_written=*/true)}).same_as, "");
  EXPECT_EQ(rename_after({Hint("b", /*is_written=*/true)}).same_as, "");
  EXPECT_EQ(rename_after({}).same_as, "");  // racy
}

TEST_F(Comparison, WritingThroughOneNameChangesAllNames) {
  directory_.Write("tree/a", "x");
  ASSERT_EQ(link(Path("a").c_str(), Path("b").c_str()), 0);
  Rescan();
  directory_.Write("tree/a", "longer");
  EXPECT_EQ(Read(Look({Hint("a", true)})), (Paths{Path("a"), Path("b")}));
}

TEST_F(Comparison, WritingThroughANameThatGoesChangesTheOthers) {
  for (const bool is_replaced : {false, true}) {
    directory_.Write("tree/a", "x");
    fs::remove(Path("b"));
    ASSERT_EQ(link(Path("a").c_str(), Path("b").c_str()), 0);
    Rescan();
    directory_.Write("tree/a", "longer");
    fs::remove(Path("a"));
    if (is_replaced) {
      directory_.Write("tree/other", "y");
      fs::rename(Path("other"), Path("a"));
    }
    const Paths expected = is_replaced ? Paths{Path("a"), Path("b")} : Paths{Path("b")};
    EXPECT_EQ(Read(Look({Hint("a", true)})), expected);
  }
}

TEST_F(Comparison, WritingThroughANameThatNobodySawChangesTheOthers) {
  for (const bool is_replaced : {false, true}) {
    directory_.Write("tree/a", "x");
    fs::remove(Path("b"));
    ASSERT_EQ(link(Path("a").c_str(), Path("b").c_str()), 0);
    known_ = KnownFiles();
    Rescan();
    TreeComparison comparison(roots_, known_, problems_);
    ASSERT_TRUE(comparison.LookAt({roots_[0].path(), false, true, TimePoint()}).ok());
    comparison.Take();
    // The change of its name is seen before the file is written, and the new name never.
    fs::rename(Path("b"), Path("c"));
    ASSERT_TRUE(comparison.LookAt(Hint("b")).ok());
    EXPECT_EQ(Removed(comparison.Take()), Paths{Path("b")});
    known_.Remove(Path("b"));
    directory_.Write("tree/c", "longer");
    fs::remove(Path("c"));
    if (is_replaced) directory_.Write("tree/c", "y");
    ASSERT_TRUE(comparison.LookAt(Hint("c", /*is_written=*/true)).ok());
    EXPECT_EQ(Read(comparison.Take()),
              (is_replaced ? Paths{Path("a"), Path("c")} : Paths{Path("a")}));
  }
}

TEST_F(Comparison, ADirectoryInPlaceOfAFileAndTheReverse) {
  directory_.Write("tree/a", "x");
  directory_.Write("tree/b/c", "x");
  Rescan();
  fs::remove_all(Path("a"));
  fs::remove_all(Path("b"));
  directory_.Write("tree/a/inner", "xyz");
  directory_.Write("tree/b", "xyz");
  const TreeDifference difference = Look({Hint("a"), Hint("b")});
  EXPECT_EQ(Read(difference), (Paths{Path("a/inner"), Path("b")}));
  EXPECT_EQ(Removed(difference), (Paths{Path("a"), Path("b/c")}));
}

TEST_F(Comparison, ALinkInPlaceOfADirectoryEndsItsDocuments) {
  directory_.Write("tree/sub/a", "x");
  directory_.Write("outside/a", "secret");
  Rescan();
  fs::remove_all(Path("sub"));
  ASSERT_EQ(symlink("../outside", Path("sub").c_str()), 0);
  const TreeDifference difference = Look({Hint("sub/a", true), Hint("sub")});
  EXPECT_TRUE(difference.to_read.empty());
  EXPECT_EQ(Removed(difference), Paths{Path("sub/a")});
}

TEST_F(Comparison, WhatThisUserMayNotReadHasNoDocument) {
  const std::string file = directory_.Write("tree/a", "x");
  directory_.Write("tree/closed/b", "x");
  Rescan();
  const PermissionScope modes_count;
  fs::permissions(file, fs::perms::none);
  // It is to be read, and reading it will fail.
  EXPECT_EQ(Read(Look({Hint("a")})), Paths{Path("a")});
  fs::permissions(Path("closed"), fs::perms::none);
  EXPECT_EQ(Removed(Rescan()), Paths{Path("closed/b")});
  EXPECT_EQ(problems_.Take().at(ProblemKind::kUnreadableFile).count, 1u);
  fs::permissions(Path("closed"), fs::perms::owner_all);
}

TEST_F(Comparison, ARootThatIsGoneHasNoDocuments) {
  directory_.Write("tree/a", "x");
  Rescan();
  fs::remove_all(roots_[0].path());
  EXPECT_EQ(Removed(Rescan()), Paths{Path("a")});
}

TEST_F(Comparison, PassesOverWhatIsOutsideOfAllRoots) {
  const std::string other = directory_.Write("other/a", "x");
  EXPECT_TRUE(Look({{other, true, false, TimePoint()}}).IsEmpty());
}

TEST_F(Comparison, TheLastLookCounts) {
  directory_.Write("tree/a", "x");
  TreeComparison comparison(roots_, known_, problems_);
  ASSERT_TRUE(comparison.LookAt(Hint("a")).ok());
  ASSERT_EQ(unlink(Path("a").c_str()), 0);
  ASSERT_TRUE(comparison.LookAt(Hint("a")).ok());
  EXPECT_TRUE(comparison.Take().IsEmpty());
  directory_.Write("tree/sub/b", "x");
  ASSERT_TRUE(comparison.LookAt(Hint("sub")).ok());
  fs::remove_all(Path("sub"));
  ASSERT_TRUE(comparison.LookAt(Hint("sub")).ok());
  EXPECT_TRUE(comparison.Take().IsEmpty());
}

}  // namespace tree_comparison_test
}  // namespace pmdex
