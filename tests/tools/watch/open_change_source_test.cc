// What holds for all sources that the kernel feeds (inotify_source.h, fanotify_source.h), and what
// is special to one of them or to poll_source.h.
#include "tools/watch/open_change_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/support/run_program.h"
#include "tools/watch/fanotify_source.h"
#include "tools/watch/inotify_source.h"
#include "tools/watch/poll_source.h"

namespace pmdex {
namespace open_change_source_test {

namespace fs = std::filesystem;

class ChangeSources : public testing::TestWithParam<SourceKind> {
 protected:
  ChangeSources() { fs::create_directories(directory_ / "tree"); }

  // Skips the test where the kernel does not allow this source.
  void Open() {
    auto root = TreeRoot::Open(directory_ / "tree", "");
    ASSERT_TRUE(root.ok()) << root.status();
    roots_.push_back(*std::move(root));
    auto source = OpenChangeSource(GetParam(), roots_, std::chrono::milliseconds(1));
    if (absl::IsPermissionDenied(source.status()) || absl::IsUnimplemented(source.status())) {
      GTEST_SKIP() << source.status();
    }
    ASSERT_TRUE(source.ok()) << source.status();
    source_ = *std::move(source);
  }

  std::string Path(const std::string& name) const { return directory_ / "tree/" + name; }

  // Reads changes until one of them fulfils the condition.
  bool Await(const std::function<bool(const TreeChange&)>& wanted) {
    for (bool found = false; !found;) {
      pollfd wait = {source_->descriptor(), POLLIN, 0};
      if (poll(&wait, 1, 20'000) <= 0) return false;
      const absl::Status status = source_->Read([&](const TreeChange& change) {
        changes_.push_back(change);
        found = found || wanted(change);
      });
      EXPECT_TRUE(status.ok()) << status;
    }
    return true;
  }
  // Waits for a change of this path, whatever its kind.
  bool AwaitPath(const std::string& path) {
    return Await(
        [&](const TreeChange& change) { return change.path == path || change.from == path; });
  }
  // The directories that one Read says are to be scanned.
  std::vector<std::string> ReadRescans() {
    std::vector<std::string> rescans;
    const absl::Status status = source_->Read([&](const TreeChange& change) {
      if (change.kind == ChangeKind::kRescan) rescans.push_back(change.path);
    });
    EXPECT_TRUE(status.ok()) << status;
    return rescans;
  }
  // A change of the path, or of a directory above it that is to be scanned.
  bool AwaitHint(const std::string& path) {
    return Await([&](const TreeChange& change) {
      return change.path == path ||
             ((change.kind == ChangeKind::kRescan || change.kind == ChangeKind::kRenamed) &&
              path.starts_with(change.path + "/"));
    });
  }

  const TemporaryDirectory directory_;
  std::vector<TreeRoot> roots_;
  std::unique_ptr<ChangeSource> source_;
  std::vector<TreeChange> changes_;
};

INSTANTIATE_TEST_SUITE_P(Kernel, ChangeSources,
                         testing::Values(SourceKind::kInotify, SourceKind::kFanotify),
                         [](const auto& one) {
                           return one.param == SourceKind::kInotify ? "inotify" : "fanotify";
                         });

TEST_P(ChangeSources, ReportAFileThatIsClosedAfterWriting) {
  Open();
  if (source_ == nullptr) return;
  directory_.Write("tree/a", "x");
  EXPECT_TRUE(Await([&](const TreeChange& change) {
    return change.kind == ChangeKind::kWritten && change.path == Path("a");
  }));
}

TEST_P(ChangeSources, ReportRemovedAndLinkedFilesAndHostileNames) {
  directory_.Write("tree/a", "x");
  Open();
  if (source_ == nullptr) return;
  ASSERT_EQ(link(Path("a").c_str(), Path("new\nline\xff").c_str()), 0);
  EXPECT_TRUE(AwaitPath(Path("new\nline\xff")));
  ASSERT_EQ(unlink(Path("a").c_str()), 0);
  EXPECT_TRUE(Await([&](const TreeChange& change) {
    return change.kind == ChangeKind::kRemoved && change.path == Path("a");
  }));
}

TEST_P(ChangeSources, ReportBothPathsOfARename) {
  directory_.Write("tree/a", "x");
  Open();
  if (source_ == nullptr) return;
  ASSERT_EQ(rename(Path("a").c_str(), Path("b").c_str()), 0);
  EXPECT_TRUE(AwaitPath(Path("b")));
  changes_.push_back({});
  const bool has_both =
      std::any_of(changes_.begin(), changes_.end(), [&](const TreeChange& change) {
        return change.path == Path("a") || change.from == Path("a");
      });
  EXPECT_TRUE(has_both || AwaitPath(Path("a")));
}

TEST_P(ChangeSources, SeeFilesInDirectoriesThatAreNew) {
  Open();
  if (source_ == nullptr) return;
  // The files may appear before the directory can be watched.
  for (int i = 0; i < 50; ++i) {
    const std::string name = absl::StrCat("d", i, "/sub/deep/a");
    directory_.Write("tree/" + name, "x");
    EXPECT_TRUE(AwaitHint(Path(name))) << name;
  }
  // Now they are watched.
  directory_.Write("tree/d7/sub/deep/later", "x");
  EXPECT_TRUE(AwaitPath(Path("d7/sub/deep/later")));
}

// The kernel ends the path of a removed directory so.
TEST_P(ChangeSources, SeeFilesInADirectoryWhoseNameEndsInDeleted) {
  directory_.Write("tree/old (deleted)/a", "x");
  Open();
  if (source_ == nullptr) return;
  directory_.Write("tree/old (deleted)/b", "x");
  EXPECT_TRUE(AwaitPath(Path("old (deleted)/b")));
}

TEST_P(ChangeSources, FollowDirectoriesThatAreRenamed) {
  directory_.Write("tree/old/sub/a", "x");
  Open();
  if (source_ == nullptr) return;
  ASSERT_EQ(rename(Path("old").c_str(), Path("new").c_str()), 0);
  EXPECT_TRUE(AwaitHint(Path("new/sub/a")));
  directory_.Write("tree/new/sub/b", "x");
  EXPECT_TRUE(AwaitPath(Path("new/sub/b")));
  // Another directory takes the old path.
  directory_.Write("tree/old/sub/c", "x");
  EXPECT_TRUE(AwaitHint(Path("old/sub/c")));
  directory_.Write("tree/old/sub/d", "x");
  EXPECT_TRUE(AwaitPath(Path("old/sub/d")));
}

TEST_P(ChangeSources, LoseSightOfDirectoriesThatLeaveTheTreeAndSeeThemComeBack) {
  directory_.Write("tree/moving/sub/a", "x");
  Open();
  if (source_ == nullptr) return;
  const std::string outside = directory_ / "outside";
  ASSERT_EQ(rename(Path("moving").c_str(), outside.c_str()), 0);
  EXPECT_TRUE(AwaitPath(Path("moving")));
  directory_.Write("outside/sub/unseen", "x");
  directory_.Write("tree/mark", "x");
  EXPECT_TRUE(AwaitPath(Path("mark")));
  for (const TreeChange& change : changes_) {
    EXPECT_EQ(change.path.find("unseen"), std::string::npos) << change.path;
  }
  ASSERT_EQ(rename(outside.c_str(), Path("back").c_str()), 0);
  EXPECT_TRUE(AwaitHint(Path("back/sub/a")));
  directory_.Write("tree/back/sub/seen", "x");
  EXPECT_TRUE(AwaitPath(Path("back/sub/seen")));
}

TEST_P(ChangeSources, ReportAChangeOfPermissionsAndOfTimes) {
  const std::string file = directory_.Write("tree/a", "x");
  Open();
  if (source_ == nullptr) return;
  fs::permissions(file, fs::perms::none);
  EXPECT_TRUE(AwaitPath(Path("a")));
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), nullptr, 0), 0);
  EXPECT_TRUE(AwaitPath(Path("a")));
}

// More changes than the kernel's queue holds, none of them read meanwhile.
TEST_P(ChangeSources, AnOverflowScansTheRoots) {
  Open();
  if (source_ == nullptr) return;
  std::FILE* const limit =
      std::fopen(GetParam() == SourceKind::kInotify ? "/proc/sys/fs/inotify/max_queued_events"
                                                    : "/proc/sys/fs/fanotify/max_queued_events",
                 "r");
  int most = 16384;
  if (limit != nullptr) {
    EXPECT_EQ(std::fscanf(limit, "%d", &most), 1);
    std::fclose(limit);
  }
  if (most > 100'000) GTEST_SKIP() << "the queue holds " << most << " changes";
  const std::string a = directory_.Write("tree/0", "x");
  std::string before = a;
  for (int i = 1; i <= most; ++i) {
    const std::string after = Path(std::to_string(i));
    ASSERT_EQ(rename(before.c_str(), after.c_str()), 0);
    before = after;
  }
  EXPECT_TRUE(Await([&](const TreeChange& change) {
    return change.kind == ChangeKind::kRescan && change.path == roots_[0].path();
  }));
  EXPECT_GE(source_->overflows(), 1u);
  directory_.Write("tree/later", "x");
  EXPECT_TRUE(AwaitPath(Path("later")));
}

TEST_P(ChangeSources, WatchARootAgainThatIsReplaced) {
  directory_.Write("tree/a", "x");
  directory_.Write("new/sub/b", "x");
  Open();
  if (source_ == nullptr) return;
  fs::rename(directory_ / "tree", directory_ / "old");
  EXPECT_EQ(ReadRescans(), std::vector<std::string>{directory_ / "tree"});
  EXPECT_TRUE(source_->is_partial());
  ASSERT_TRUE(source_->WatchAgain().ok());
  EXPECT_TRUE(source_->is_partial());  // there is nothing yet
  fs::rename(directory_ / "new", directory_ / "tree");
  ASSERT_TRUE(source_->WatchAgain().ok());
  EXPECT_FALSE(source_->is_partial());
  directory_.Write("old/unseen", "x");
  directory_.Write("tree/sub/seen", "x");
  EXPECT_TRUE(AwaitPath(Path("sub/seen")));
  for (const TreeChange& change : changes_) EXPECT_EQ(change.path, Path("sub/seen"));
}

TEST(InotifySource, PairsTheTwoHalvesOfARename) {
  const TemporaryDirectory directory;
  directory.Write("tree/a", "x");
  std::vector<TreeRoot> roots;
  roots.push_back(*TreeRoot::Open(directory / "tree", ""));
  const auto source = InotifySource::Open(roots);
  ASSERT_TRUE(source.ok()) << source.status();
  for (int i = 0; i < 2000; ++i) {  // over the ends of the buffers
    const std::string names[] = {directory / "tree/a", directory / "tree/b"};
    ASSERT_EQ(rename(names[i % 2].c_str(), names[1 - i % 2].c_str()), 0);
  }
  int renames = 0;
  for (int last = -1; last != renames;) {
    last = renames;
    ASSERT_TRUE((*source)
                    ->Read([&](const TreeChange& change) {
                      EXPECT_EQ(change.kind, ChangeKind::kRenamed);
                      ++renames;
                    })
                    .ok());
  }
  EXPECT_EQ(renames, 2000);
}

TEST(InotifySource, CountsADirectoryThatItMayNotReadAndWatchesItWhenItMay) {
  const TemporaryDirectory directory;
  directory.Write("tree/closed/sub/a", "x");
  std::vector<TreeRoot> roots;
  roots.push_back(*TreeRoot::Open(directory / "tree", ""));
  fs::permissions(directory / "tree/closed", fs::perms::none);
  const bool is_readable = access((directory / "tree/closed").c_str(), R_OK) == 0;
  const auto source = InotifySource::Open(roots);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->is_partial(), !is_readable);  // root reads all
  EXPECT_EQ((*source)->TakeWarning().empty(), is_readable);
  fs::permissions(directory / "tree/closed", fs::perms::owner_all);
  ASSERT_TRUE((*source)->Read([](const TreeChange&) {}).ok());
  directory.Write("tree/closed/sub/b", "x");
  bool is_seen = false;
  ASSERT_TRUE((*source)
                  ->Read([&](const TreeChange& change) {
                    is_seen = is_seen || change.path == directory / "tree/closed/sub/b";
                  })
                  .ok());
  EXPECT_TRUE(is_seen);
}

using FanotifyRoots = ChangeSources;
INSTANTIATE_TEST_SUITE_P(Kernel, FanotifyRoots, testing::Values(SourceKind::kFanotify));

TEST_P(FanotifyRoots, AreFollowedWhenADirectoryAboveThemIsRenamed) {
  directory_.Write("above/tree/a", "x");
  fs::remove(directory_ / "tree");
  fs::create_directory_symlink("above/tree", directory_ / "tree");
  Open();
  if (source_ == nullptr) return;
  const std::vector<std::string> root = {directory_ / "tree"};
  fs::rename(directory_ / "above", directory_ / "aside");
  EXPECT_EQ(ReadRescans(), root);
  EXPECT_EQ(ReadRescans(), std::vector<std::string>()) << "it is still gone";
  directory_.Write("aside/tree/unseen", "x");
  EXPECT_EQ(ReadRescans(), std::vector<std::string>());
  EXPECT_TRUE(source_->is_partial());
  fs::rename(directory_ / "aside", directory_ / "above");
  EXPECT_EQ(ReadRescans(), root);
  EXPECT_FALSE(source_->is_partial());
  // The link leads to the same directory under another path.
  fs::rename(directory_ / "above", directory_ / "aside");
  fs::remove(directory_ / "tree");
  fs::create_directory_symlink("aside/tree", directory_ / "tree");
  EXPECT_EQ(ReadRescans(), root);
  directory_.Write("aside/tree/moved", "x");
  EXPECT_TRUE(AwaitPath(Path("moved")));
  // The link leads to another directory.
  directory_.Write("other/a", "x");
  fs::remove(directory_ / "tree");
  fs::create_directory_symlink("other", directory_ / "tree");
  EXPECT_EQ(ReadRescans(), root);
  EXPECT_FALSE(source_->is_partial());
  directory_.Write("other/seen", "x");
  EXPECT_TRUE(AwaitPath(Path("seen")));
}

TEST_P(FanotifyRoots, AreWatchedAtOnceWhenTheyAreMadeAgain) {
  directory_.Write("tree/a", "x");
  Open();
  if (source_ == nullptr) return;
  const std::vector<std::string> root = {directory_ / "tree"};
  fs::remove_all(directory_ / "tree");
  EXPECT_EQ(ReadRescans(), root);
  EXPECT_TRUE(source_->is_partial());
  directory_.Write("tree/b", "x");
  EXPECT_FALSE(ReadRescans().empty());
  EXPECT_FALSE(source_->is_partial());
  directory_.Write("tree/seen", "x");
  EXPECT_TRUE(AwaitPath(Path("seen")));
}

TEST(FanotifySource, SaysWhyItCannotBeUsed) {
  const TemporaryDirectory directory;
  std::vector<TreeRoot> roots;
  roots.push_back(*TreeRoot::Open(directory.path(), ""));
  const auto source = FanotifySource::Open(roots);
  if (source.ok()) GTEST_SKIP() << "it can be used here";
  EXPECT_TRUE(absl::IsPermissionDenied(source.status()) || absl::IsUnimplemented(source.status()) ||
              absl::IsFailedPrecondition(source.status()))
      << source.status();
}

TEST(PollSource, HasAllRootsScannedInEveryInterval) {
  const TemporaryDirectory directory;
  fs::create_directories(directory / "a");
  fs::create_directories(directory / "b");
  std::vector<TreeRoot> roots;
  roots.push_back(*TreeRoot::Open(directory / "a", ""));
  roots.push_back(*TreeRoot::Open(directory / "b", ""));
  const auto source = PollSource::Open(roots, std::chrono::milliseconds(1));
  ASSERT_TRUE(source.ok()) << source.status();
  for (int round = 0; round < 3; ++round) {
    pollfd wait = {(*source)->descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&wait, 1, 20'000), 1);
    std::vector<std::string> scanned;
    ASSERT_TRUE((*source)
                    ->Read([&](const TreeChange& change) {
                      EXPECT_EQ(change.kind, ChangeKind::kRescan);
                      scanned.push_back(change.path);
                    })
                    .ok());
    EXPECT_EQ(scanned, (std::vector<std::string>{directory / "a", directory / "b"}));
  }
}

TEST(ChangeSource, KnowsItsSourcesByName) {
  EXPECT_EQ(*ParseSourceKind("auto"), SourceKind::kAuto);
  EXPECT_EQ(*ParseSourceKind("poll"), SourceKind::kPoll);
  EXPECT_TRUE(absl::IsInvalidArgument(ParseSourceKind("kqueue").status()));
}

}  // namespace open_change_source_test
}  // namespace pmdex
