// What only a directory of a real file system can do or suffer; the contract is directory_test.cc.
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "pmem/directory.h"
#include "tests/support/medium_spy.h"

namespace pmdex {
namespace file_directory_test {

namespace fs = std::filesystem;

class FileDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("PMEM2_FORCE_GRANULARITY");
    path_ = testing::TempDir() + "pmdex_file_directory_XXXXXX";
    ASSERT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  void TearDown() override {
    fs::permissions(path_, fs::perms::owner_all);
    fs::remove_all(path_);
  }

  std::unique_ptr<Directory> MustOpenDirectory(const std::string& path,
                                               FileDirectoryOptions options = {}) {
    auto directory = OpenFileDirectory(path, options);
    EXPECT_TRUE(directory.ok()) << directory.status();
    return directory.ok() ? *std::move(directory) : nullptr;
  }

  void WriteRaw(const std::string& name, std::string_view content) {
    std::ofstream(path_ + "/" + name) << content;
  }

  std::string path_;
};

TEST_F(FileDirectoryTest, SaysNotFoundForAPathThatIsNotThereOrNoDirectory) {
  EXPECT_EQ(OpenFileDirectory(path_ + "/no", {}).status().code(), absl::StatusCode::kNotFound);
  WriteRaw("file", "x");
  EXPECT_EQ(OpenFileDirectory(path_ + "/file", {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenFileDirectory("", {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FileDirectoryTest, CreatesMissingParentsWhenAsked) {
  const auto directory = MustOpenDirectory(path_ + "/a//b/c/", {.create = true});
  ASSERT_NE(directory, nullptr);
  EXPECT_TRUE(fs::is_directory(path_ + "/a/b/c"));
  EXPECT_EQ(directory->path(), path_ + "/a//b/c");
  EXPECT_NE(MustOpenDirectory(path_ + "/a/b/c", {.create = true}), nullptr);
}

TEST_F(FileDirectoryTest, SyncsTheParentOfEveryDirectoryThatItMakes) {
  MediumSpy spy(path_);
  ASSERT_NE(MustOpenDirectory(path_ + "/a//b", {.create = true}), nullptr);
  EXPECT_THAT(spy.Take(), testing::ElementsAre("mkdir a", "fsync .", "mkdir a/b", "fsync a"));
  spy.shadow().Acknowledge();
  EXPECT_THAT(spy.shadow().violations(), testing::IsEmpty());
}

TEST_F(FileDirectoryTest, SyncsTheParentOfADirectoryThatSomebodyElseJustMade) {
  MediumSpy spy(path_);
  spy.RaceMakingDirectories();
  ASSERT_NE(MustOpenDirectory(path_ + "/a/b", {.create = true}), nullptr);
  EXPECT_THAT(spy.Take(), testing::ElementsAre("fsync .", "fsync a"));
  spy.shadow().Acknowledge();
  EXPECT_THAT(spy.shadow().violations(), testing::IsEmpty());
}

TEST_F(FileDirectoryTest, SyncsNothingThatItMakesWithoutDurability) {
  MediumSpy spy(path_);
  const auto directory = MustOpenDirectory(path_ + "/a", {.create = true, .durable = false});
  auto file = directory->Create("f", 1);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string content = "content";
  (*file)->CopyNonTemporal(0, std::as_bytes(std::span(content)));
  (*file)->StoreAndFlush(100, std::as_bytes(std::span(content)));
  ASSERT_TRUE((*file)->Drain().ok());
  ASSERT_TRUE((*file)->Seal(200).ok());
  ASSERT_TRUE(directory->Sync().ok());
  EXPECT_THAT(spy.Take(), testing::ElementsAre("mkdir a", "create a/f", "allocate a/f", "write a/f",
                                               "truncate a/f"));
}

TEST_F(FileDirectoryTest, SaysWhichPartCouldNotBeCreated) {
  WriteRaw("file", "x");
  const auto directory = OpenFileDirectory(path_ + "/file/sub", {.create = true});
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(std::string(Message(directory.status())), testing::HasSubstr("/file/sub: "));
}

TEST_F(FileDirectoryTest, AllocatesTheWholeFileInsteadOfLeavingHoles) {
  auto file = MustOpenDirectory(path_)->Create("a", 5 << 20);
  ASSERT_TRUE(file.ok()) << file.status();
  struct stat facts;
  ASSERT_EQ(stat((path_ + "/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 6 << 20);
  EXPECT_GE(facts.st_blocks * 512, 6 << 20);
  ASSERT_TRUE((*file)->Seal(1000).ok());
  ASSERT_EQ(stat((path_ + "/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 1000);
}

TEST_F(FileDirectoryTest, OpensRegularFilesOnly) {
  const auto directory = MustOpenDirectory(path_);
  WriteRaw("target", "secret");
  ASSERT_EQ(symlink("target", (path_ + "/link").c_str()), 0);
  ASSERT_EQ(mkfifo((path_ + "/fifo").c_str(), 0600), 0);
  ASSERT_EQ(mkdir((path_ + "/sub").c_str(), 0700), 0);
  for (const char* name : {"link", "fifo", "sub"}) {
    EXPECT_EQ(directory->Open(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
  auto entries = directory->List();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().name, "target");
}

TEST_F(FileDirectoryTest, SaysWhereAFileWasTruncatedUnderItsMapping) {
  const auto directory = MustOpenDirectory(path_);
  WriteRaw("a", std::string(3 * 4096, 'x'));
  const auto file = directory->Open("a");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->Health().ok());
  fs::resize_file(path_ + "/a", 4096);
  EXPECT_TRUE((*file)->Health().ok());  // nobody has looked yet
  EXPECT_EQ((*file)->bytes()[8192 + 5], std::byte{0});
  EXPECT_FALSE((*file)->is_healthy());
  const absl::Status health = (*file)->Health();
  EXPECT_TRUE(absl::IsDataLoss(health)) << health;
  EXPECT_EQ(Message(health), path_ +
                                 "/a: offset 8197: the file was truncated while mapped: "
                                 "expected 12288 bytes, found 4096");
}

TEST_F(FileDirectoryTest, SaysThatAFileCannotBeReadWhoseNameIsGone) {
  const auto directory = MustOpenDirectory(path_);
  WriteRaw("a", std::string(4096, 'x'));
  const auto file = directory->Open("a");
  ASSERT_TRUE(file.ok()) << file.status();
  fs::resize_file(path_ + "/a", 0);
  ASSERT_TRUE(directory->Remove("a").ok());
  EXPECT_EQ((*file)->bytes()[0], std::byte{0});
  EXPECT_THAT(std::string(Message((*file)->Health())), testing::HasSubstr("bad block, or"));
}

TEST_F(FileDirectoryTest, PopulatingWhatWasTruncatedIsAStatus) {
  const auto directory = MustOpenDirectory(path_);
  WriteRaw("a", std::string(2 * 4096, 'x'));
  const auto file = directory->Open("a");
  ASSERT_TRUE(file.ok()) << file.status();
  fs::resize_file(path_ + "/a", 0);
  EXPECT_TRUE(absl::IsDataLoss((*file)->Populate(0, 8192)));
  EXPECT_TRUE((*file)->Health().ok());  // no signal was needed
}

// Copies go through the mapping only where the medium is (or claims to be) memory.
TEST_F(FileDirectoryTest, AStoreThatTheMediumRefusesIsAStatusOfDrainAndSeal) {
  setenv("PMEM2_FORCE_GRANULARITY", "CACHE_LINE", 1);
  const auto directory = MustOpenDirectory(path_);
  auto file = directory->Create("a", 1 << 20);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::vector<std::byte> bytes(8192, std::byte{7});
  (*file)->CopyNonTemporal(0, bytes);
  ASSERT_TRUE((*file)->Drain().ok());
  fs::resize_file(path_ + "/a", 0);
  (*file)->CopyNonTemporal(4096, bytes);
  (*file)->StoreAndFlush(0, bytes);
  const absl::Status drained = (*file)->Drain();
  EXPECT_TRUE(absl::IsDataLoss(drained)) << drained;
  EXPECT_THAT(std::string(Message(drained)),
              testing::HasSubstr("/a: offset 4096: the medium cannot be written"));
  EXPECT_TRUE(absl::IsDataLoss((*file)->Seal(8192)));
  unsetenv("PMEM2_FORCE_GRANULARITY");
}

TEST_F(FileDirectoryTest, ListsWhatIsNoFileApart) {
  const auto directory = MustOpenDirectory(path_);
  WriteRaw("file", "x");
  WriteRaw(".pmdex-probe-12-3", "");  // of a process that died while it probed
  WriteRaw(".pmdex-probe-mine", "x");
  ASSERT_EQ(symlink("file", (path_ + "/link").c_str()), 0);
  ASSERT_EQ(mkdir((path_ + "/directory").c_str(), 0700), 0);
  const auto others = directory->ListOthers();
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_THAT(*others, testing::ElementsAre("directory", "link"));
  const auto files = directory->List();
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].name, ".pmdex-probe-mine");
  const auto names = directory->ListNames();
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, testing::ElementsAre(".pmdex-probe-mine", "file"));
}

// Sets the umask for as long as it lives.
class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : before_(umask(mask)) {}
  ~ScopedUmask() { umask(before_); }

 private:
  const mode_t before_;
};

mode_t ModeOf(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(stat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 07777;
}

// A new file, a lock, and a directory on the way to them: their modes.
class FileModeTest : public FileDirectoryTest {
 protected:
  void Make(FileDirectoryOptions options) {
    options.create = true;
    const auto directory = MustOpenDirectory(path_ + "/made/index", options);
    ASSERT_NE(directory, nullptr);
    ASSERT_TRUE(directory->Create("file", 1).ok());
    ASSERT_TRUE(directory->Lock("lock").ok());
  }
  std::vector<mode_t> Modes() const {
    return {ModeOf(path_ + "/made"), ModeOf(path_ + "/made/index"),
            ModeOf(path_ + "/made/index/file"), ModeOf(path_ + "/made/index/lock")};
  }
};

TEST_F(FileModeTest, IsForThisUserAloneHoweverLooseTheUmask) {
  const ScopedUmask loose(0);
  Make({});
  EXPECT_THAT(Modes(), testing::ElementsAre(0700, 0700, 0600, 0600));
}

TEST_F(FileModeTest, IsWhatWasAskedForHoweverTightTheUmask) {
  const ScopedUmask tight(077);
  Make({.mode = 0640});
  EXPECT_THAT(Modes(), testing::ElementsAre(0750, 0750, 0640, 0640));
}

TEST_F(FileModeTest, IsThatOfTheFileWhoseAccessIsTaken) {
  const ScopedUmask tight(077);
  WriteRaw("old", "x");
  ASSERT_EQ(chmod((path_ + "/old").c_str(), 0664), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown((path_ + "/old").c_str(), 12, 34), 0);
  }
  const auto directory = MustOpenDirectory(path_);
  ASSERT_TRUE(directory->TakeAccessOf("old").ok());
  ASSERT_TRUE(directory->Create("new", 1).ok());
  struct stat old_facts {};
  struct stat new_facts {};
  ASSERT_EQ(stat((path_ + "/old").c_str(), &old_facts), 0);
  ASSERT_EQ(stat((path_ + "/new").c_str(), &new_facts), 0);
  EXPECT_EQ(new_facts.st_mode & 07777, 0664u);
  EXPECT_EQ(new_facts.st_gid, old_facts.st_gid);
  EXPECT_EQ(new_facts.st_uid, old_facts.st_uid) << "root leaves the index to its owner";
  EXPECT_TRUE(absl::IsNotFound(directory->TakeAccessOf("gone")));
}

TEST_F(FileModeTest, ThatWasAskedForGoesBeforeThatOfAnotherFileAndIsGivenToOldOnes) {
  WriteRaw("old", "x");
  ASSERT_EQ(chmod((path_ + "/old").c_str(), 0644), 0);
  const auto unasked = MustOpenDirectory(path_);
  ASSERT_TRUE(unasked->ApplyMode("old").ok());
  EXPECT_EQ(ModeOf(path_ + "/old"), 0644u);
  const auto directory = MustOpenDirectory(path_, {.mode = 0600});
  ASSERT_TRUE(directory->TakeAccessOf("old").ok());
  ASSERT_TRUE(directory->Create("new", 1).ok());
  EXPECT_EQ(ModeOf(path_ + "/new"), 0600u);
  ASSERT_TRUE(directory->ApplyMode("old").ok());
  EXPECT_EQ(ModeOf(path_ + "/old"), 0600u);
  ASSERT_EQ(chmod(path_.c_str(), 02755), 0);
  ASSERT_TRUE(directory->ApplyMode("").ok());
  EXPECT_EQ(ModeOf(path_), 02700u) << "what passes the group on stays";
  EXPECT_TRUE(absl::IsNotFound(directory->ApplyMode("gone")));
}

// Permissions and groups do not bind root: a child process becomes somebody else, where it may.
TEST_F(FileModeTest, RefusesAGroupThatThisUserCannotGiveWhereThatMatters) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file a group to refuse";
  WriteRaw("old", "x");
  ASSERT_EQ(chown((path_ + "/old").c_str(), 0, 34), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0777), 0);
  const auto create_as_nobody = [&](const std::string& name) {
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(10);
      auto directory = OpenFileDirectory(path_, {});
      if (!directory.ok() || !(*directory)->TakeAccessOf("old").ok()) _exit(11);
      const absl::Status created = (*directory)->Create(name, 1).status();
      _exit(created.ok() ? 0 : absl::IsFailedPrecondition(created) ? 1 : 12);
    }
    int result = 0;
    EXPECT_EQ(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  };
  ASSERT_EQ(chmod((path_ + "/old").c_str(), 0640), 0);
  EXPECT_EQ(create_as_nobody("for-the-group"), 1);
  EXPECT_FALSE(fs::exists(path_ + "/for-the-group"));
  ASSERT_EQ(chmod((path_ + "/old").c_str(), 0644), 0);
  EXPECT_EQ(create_as_nobody("for-all"), 0);
  EXPECT_EQ(ModeOf(path_ + "/for-all"), 0644u);
}

TEST_F(FileDirectoryTest, NeverCreatesThroughASymbolicLink) {
  ASSERT_EQ(symlink("elsewhere", (path_ + "/link").c_str()), 0);
  EXPECT_FALSE(MustOpenDirectory(path_)->Create("link", 1).ok());
  EXPECT_FALSE(MustOpenDirectory(path_)->Lock("link").ok());
  EXPECT_FALSE(fs::exists(path_ + "/elsewhere"));
}

TEST_F(FileDirectoryTest, ReadsADirectoryThatItMayNotWrite) {
  if (geteuid() == 0) {
    // Permissions do not bind root: drop them in a child process, where they do.
    WriteRaw("a", "content");
    fs::permissions(path_, fs::perms(0555));
    fs::permissions(path_ + "/a", fs::perms(0444));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (setgid(65534) != 0 || setuid(65534) != 0) _exit(10);
      auto directory = OpenFileDirectory(path_, {});
      if (!directory.ok()) _exit(11);
      if ((*directory)->Create("b", 1).ok()) _exit(12);
      auto file = (*directory)->Open("a");
      if (!file.ok() || (*file)->bytes().size() != 7) _exit(13);
      auto entries = (*directory)->List();
      if (!entries.ok() || entries->size() != 1) _exit(14);
      if ((*directory)->Lock("LOCK").ok()) _exit(15);
      _exit((*directory)->granularity() == StoreGranularity::kPage ? 0 : 16);
    }
    int result = 0;
    ASSERT_EQ(waitpid(child, &result, 0), child);
    ASSERT_TRUE(WIFEXITED(result));
    EXPECT_EQ(WEXITSTATUS(result), 0);
    return;
  }
  WriteRaw("a", "content");
  fs::permissions(path_, fs::perms(0555));
  const auto directory = MustOpenDirectory(path_);
  EXPECT_FALSE(directory->Create("b", 1).ok());
  auto file = directory->Open("a");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes().size(), 7u);
  EXPECT_EQ(directory->granularity(), StoreGranularity::kPage);
}

TEST_F(FileDirectoryTest, RemovesTheHalfMadeFileWhenTheFileSizeLimitIsHit) {
  // SIGXFSZ would end the process before the error is returned; a child keeps the limit to itself.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3 << 20, 3 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(10);
    auto directory = OpenFileDirectory(path_, {});
    if (!directory.ok()) _exit(11);
    const auto code = (*directory)->Create("big", 4 << 20).status().code();
    if (code != absl::StatusCode::kResourceExhausted) _exit(12);
    if (fs::exists(path_ + "/big")) _exit(13);
    _exit((*directory)->Create("small", 2 << 20).ok() ? 0 : 14);
  }
  int result = 0;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  ASSERT_TRUE(WIFEXITED(result));
  EXPECT_EQ(WEXITSTATUS(result), 0);
}

TEST_F(FileDirectoryTest, ReleasesTheLockOfAProcessThatDied) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto directory = OpenFileDirectory(path_, {});
    auto lock = directory.ok() ? (*directory)->Lock("LOCK")
                               : absl::StatusOr<std::unique_ptr<DirectoryLock>>(directory.status());
    _exit(lock.ok() ? 0 : 1);  // without giving it back
  }
  int result = 0;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(MustOpenDirectory(path_)->Lock("LOCK").ok());
}

TEST_F(FileDirectoryTest, LocksAnewAfterTheLockFileWasRemoved) {
  const auto directory = MustOpenDirectory(path_);
  auto first = directory->Lock("LOCK");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(directory->Remove("LOCK").ok());
  EXPECT_TRUE(directory->Lock("LOCK").ok());
}

TEST_F(FileDirectoryTest, SaysDataLossWhenAFileIsCutUnderItsView) {
  WriteRaw("a", std::string(100'000, 'x'));
  auto view = MustOpenDirectory(path_)->Open("a");
  ASSERT_TRUE(view.ok()) << view.status();
  ASSERT_TRUE((*view)->Populate(0, 100'000).ok());
  ASSERT_EQ(truncate((path_ + "/a").c_str(), 100), 0);
  const absl::Status status = (*view)->Populate(50'000, 10'000);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(FileDirectoryTest, WritesTheSameBytesWithoutDurability) {
  const auto directory = MustOpenDirectory(path_, {.create = false, .durable = false});
  auto file = directory->Create("a", 100);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string content = "content";
  (*file)->CopyNonTemporal(0, std::as_bytes(std::span(content)));
  EXPECT_TRUE((*file)->Drain().ok());
  EXPECT_TRUE((*file)->Seal(content.size()).ok());
  EXPECT_TRUE(directory->Sync().ok());
  std::string read;
  std::ifstream(path_ + "/a") >> read;
  EXPECT_EQ(read, content);
}

TEST_F(FileDirectoryTest, LeavesLittleOfALargeSequentialWriteResident) {
  const auto resident_bytes = [] {
    uint64_t total = 0;
    uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  };
  const auto directory = MustOpenDirectory(path_, {.create = false, .durable = false});
  if (directory->granularity() != StoreGranularity::kPage) GTEST_SKIP() << "not a page cache";
  constexpr uint64_t kFileBytes = 64 << 20;
  auto file = directory->Create("a", kFileBytes);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string piece(1 << 20, 'x');
  const uint64_t before = resident_bytes();
  for (uint64_t at = 0; at < kFileBytes; at += piece.size()) {
    (*file)->CopyNonTemporal(at, std::as_bytes(std::span(piece)));
  }
  EXPECT_LT(resident_bytes(), before + kFileBytes / 4);
}

}  // namespace file_directory_test
}  // namespace pmdex
