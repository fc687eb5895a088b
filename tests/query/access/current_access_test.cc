#include "query/access/current_access.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/access_list.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace current_access_test {

constexpr uint32_t kAlice = 61001;
constexpr uint32_t kBob = 61002;

class CurrentAccessTest : public testing::Test {
 protected:
  CurrentAccessTest() { chmod(directory_.path().c_str(), 0755); }
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, mode_t mode) {
    directory_.Write(name, "text");
    ASSERT_EQ(chmod(Path(name).c_str(), mode), 0);
  }
  static bool MayShow(uint32_t uid, const std::string& path, bool is_link = false) {
    return CurrentAccess(UserIdentity{uid, {uid}}, {}).MayShow(path, is_link);
  }
  void Link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, Path(name));
  }
  // Exchanges two entries again and again while it looks whether Bob sees the first one, and counts
  // how often he does.
  int CountShownWhileExchanging(const std::string& a, const std::string& b,
                                const std::string& looked_at) const {
    std::atomic<bool> is_done = false;
    std::atomic<uint64_t> exchanges = 0;
    std::thread exchanging([&] {
      while (!is_done) {
        if (renameat2(AT_FDCWD, Path(a).c_str(), AT_FDCWD, Path(b).c_str(), RENAME_EXCHANGE) != 0) {
          break;
        }
        ++exchanges;
      }
    });
    int shown = 0;
    for (int i = 0; i < 5000; ++i) shown += MayShow(kBob, Path(looked_at)) ? 1 : 0;
    is_done = true;
    exchanging.join();
    EXPECT_GT(exchanges, 0u);
    return shown;
  }

  TemporaryDirectory directory_;
};

TEST_F(CurrentAccessTest, FollowsTheModeOfTheFileAndOfItsDirectories) {
  Write("d/open", 0644);
  Write("d/closed", 0600);
  EXPECT_TRUE(MayShow(kBob, Path("d/open")));
  EXPECT_FALSE(MayShow(kBob, Path("d/closed")));
  EXPECT_TRUE(MayShow(0, Path("d/closed")));
  ASSERT_EQ(chmod(Path("d").c_str(), 0744), 0);
  EXPECT_FALSE(MayShow(kBob, Path("d/open")));
  ASSERT_EQ(chmod(Path("d").c_str(), 0711), 0);
  EXPECT_TRUE(MayShow(kBob, Path("d/open")));
}

TEST_F(CurrentAccessTest, LeavesWhatIsNotAtHandToTheIndex) {
  EXPECT_TRUE(MayShow(kBob, Path("gone")));
  EXPECT_TRUE(MayShow(kBob, "line:7"));
  EXPECT_TRUE(MayShow(kBob, ""));
}

TEST_F(CurrentAccessTest, RelativePathsBeginWhereTheIndexSays) {
  Write("one/src/open", 0644);
  Write("one/src/shut", 0600);
  Write("two/src/open", 0600);
  for (const char* name : {"one", "one/src", "two", "two/src"}) {
    ASSERT_EQ(chmod(Path(name).c_str(), 0755), 0);
  }
  Manifest manifest;
  std::string& value = manifest.properties[kInputDirectoriesProperty];
  const auto may_show = [&manifest](const char* path) {
    return CurrentAccess(UserIdentity{kBob, {kBob}}, InputDirectories(manifest))
        .MayShow(path, /*is_link=*/false);
  };
  value = AddInputDirectory("", Path("one"), {"src"});
  EXPECT_TRUE(may_show("src/open"));
  EXPECT_FALSE(may_show("src/shut"));
  EXPECT_TRUE(may_show("src/gone"));
  EXPECT_TRUE(may_show("no path"));
  value = AddInputDirectory(value, Path("two"), {"src"});
  EXPECT_FALSE(may_show("src/open")) << "it may be the other one";
  EXPECT_FALSE(may_show("src/shut"));
  // Whoever builds in a closed directory closes no documents that are no files.
  ASSERT_EQ(chmod(Path("one").c_str(), 0700), 0);
  value = AddInputDirectory("", Path("one"), {"src"});
  EXPECT_FALSE(may_show("src/open"));
  EXPECT_TRUE(may_show("no path"));
}

TEST_F(CurrentAccessTest, TellsTwoUsersApart) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Write("alice", 0600);
  ASSERT_EQ(chown(Path("alice").c_str(), kAlice, kAlice), 0);
  EXPECT_TRUE(MayShow(kAlice, Path("alice")));
  EXPECT_FALSE(MayShow(kBob, Path("alice")));
  Write("group", 0640);
  ASSERT_EQ(chown(Path("group").c_str(), kAlice, kBob), 0);
  EXPECT_TRUE(MayShow(kBob, Path("group")));
}

TEST_F(CurrentAccessTest, FollowsTheListOfAFile) {
  Write("listed", 0600);
  const std::string list = AccessListOf(6, kBob, 4);
  if (setxattr(Path("listed").c_str(), kAccessListAttribute, list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "no lists of access here: " << std::strerror(errno);
  }
  EXPECT_TRUE(MayShow(kBob, Path("listed")));
  EXPECT_FALSE(MayShow(kAlice, Path("listed")));
}

TEST_F(CurrentAccessTest, AnswersSeveralThreads) {
  for (int i = 0; i < 20; ++i) Write("d" + std::to_string(i % 3) + "/" + std::to_string(i), 0644);
  ASSERT_EQ(chmod(Path("d1").c_str(), 0700), 0);
  const CurrentAccess access(UserIdentity{kBob, {kBob}}, {});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = "d" + std::to_string(i % 3) + "/" + std::to_string(i);
        EXPECT_EQ(access.MayShow(Path(name), false), i % 3 != 1) << name;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A user who may write to a directory puts links there.
TEST_F(CurrentAccessTest, IsNotFooledByLinks) {
  Write("secret/file", 0644);
  ASSERT_EQ(chmod(Path("secret").c_str(), 0700), 0);
  std::filesystem::create_directory_symlink(Path("secret"), Path("link"));
  EXPECT_FALSE(MayShow(kBob, Path("link/file"))) << "the directory behind the link counts";
  std::filesystem::create_directory(Path("closed"));
  Write("open/file", 0644);
  std::filesystem::create_directory_symlink(Path("open"), Path("closed/link"));
  ASSERT_EQ(chmod(Path("closed").c_str(), 0700), 0);
  EXPECT_FALSE(MayShow(kBob, Path("closed/link/file"))) << "so does the one in which it lies";
  EXPECT_TRUE(MayShow(kBob, Path("open/file")));
}

TEST_F(CurrentAccessTest, LooksAtTheDirectoriesOfWhatIsGone) {
  Write("d/file", 0644);
  EXPECT_TRUE(MayShow(kBob, Path("d/gone")));
  EXPECT_TRUE(MayShow(kBob, Path("d/gone/too")));
  ASSERT_EQ(chmod(Path("d").c_str(), 0700), 0);
  EXPECT_FALSE(MayShow(kBob, Path("d/gone")));
  EXPECT_FALSE(MayShow(kBob, Path("d/gone/too")));
}

// A file that is a link now, or was one when it was indexed.
TEST_F(CurrentAccessTest, JudgesALinkByWhatIsBehindIt) {
  Write("readable", 0644);
  Write("private", 0600);
  Write("shut/file", 0644);
  Link("readable", "to_readable");
  Link("private", "to_private");
  Link("shut/file", "to_shut");
  Link(Path("to_shut"), "to_link");
  Link("gone", "to_gone");
  Link("loop", "loop");
  Link("../readable", "shut/to_readable");
  Link("shut/to_readable", "through_shut");
  ASSERT_EQ(chmod(Path("shut").c_str(), 0700), 0);
  EXPECT_TRUE(MayShow(kBob, Path("to_readable")));
  EXPECT_TRUE(MayShow(kBob, Path("to_gone")));
  for (const char* hidden : {"to_private", "to_shut", "to_link", "loop", "through_shut"}) {
    EXPECT_FALSE(MayShow(kBob, Path(hidden))) << hidden;
    EXPECT_TRUE(MayShow(kBob, Path(hidden), /*is_link=*/true)) << hidden;
  }
  EXPECT_FALSE(MayShow(kBob, Path("private"), /*is_link=*/true)) << "it is no link any more";
  EXPECT_FALSE(MayShow(kBob, Path("shut/to_readable"), /*is_link=*/true));
}

// This process sees a directory that it must not search itself.
TEST_F(CurrentAccessTest, HidesWhatADirectoryShutsTheUserOutOf) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Write("home/file", 0644);
  ASSERT_EQ(chown(Path("home").c_str(), kAlice, kAlice), 0);
  ASSERT_EQ(chmod(Path("home").c_str(), 0700), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(61003) != 0 || setuid(61003) != 0) _exit(100);
    const int alice = MayShow(kAlice, Path("home/file")) ? 2 : 0;
    const int bob = MayShow(kBob, Path("home/file")) ? 1 : 0;
    _exit(alice + bob);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 2) << "Alice may search it, so what was indexed decides";
}

// In neither state may Bob read the file.
TEST_F(CurrentAccessTest, IsNotFooledByExchangesWhileItLooks) {
  Write("x/file", 0600);
  Write("shut/file", 0644);
  ASSERT_EQ(chmod(Path("shut").c_str(), 0700), 0);
  Link("shut", "y");
  EXPECT_EQ(CountShownWhileExchanging("x", "y", "x/file"), 0);
  Write("file", 0600);
  Link("shut/file", "link");
  EXPECT_EQ(CountShownWhileExchanging("file", "link", "file"), 0);
  Write("open/sub/file", 0600);
  Write("closed/sub/file", 0644);
  ASSERT_EQ(chmod(Path("closed").c_str(), 0700), 0);
  EXPECT_EQ(CountShownWhileExchanging("open", "closed", "open/sub/file"), 0);
}

}  // namespace current_access_test
}  // namespace pmdex
