// The program on a full file system of 8 MiB. Missing space must be an error and never a SIGBUS,
// what was published must still answer, and when there is space again, indexing must continue.
// Needs the right to mount (root). The mount is in a name space of this process and ends with it.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace full_medium_test {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = uint64_t{1} << 20;

class FullMedium : public testing::Test {
 protected:
  void SetUp() override {
    const std::string mount_point = Medium();
    fs::create_directory(mount_point);
    // Private, so that the mount is not visible outside this process.
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, "") != 0 ||
        mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=8m") != 0) {
      GTEST_SKIP() << "cannot mount a tmpfs: " << std::strerror(errno);
    }
    mounted_ = true;
    directory_.Write("small.jsonl", "{\"id\":\"s\",\"body\":\"common small\"}\n");
    ASSERT_EQ(Run({"index", directory_ / "small.jsonl"}).exit_status, 0);
  }
  void TearDown() override {
    EXPECT_TRUE(!mounted_ || umount(Medium().c_str()) == 0) << std::strerror(errno);
  }

  std::string Medium() const { return directory_ / "medium"; }
  std::string Store() const { return Medium() + "/store"; }

  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.insert(arguments.end(), {"--index", Store(), "--quiet"});
    if (arguments[1] == "index") arguments.insert(arguments.end(), {"--memory", "32M"});
    return RunProgram(arguments);
  }

  // Appends the input. Returns true if it fitted. Expects in any case that the old documents stay.
  bool Append(const std::string& input) {
    const ProgramResult result = Run({"index", "--append", input});
    if (result.exit_status == 0) {
      EXPECT_EQ(UnlistedFiles(Store()), std::set<std::string>());
      return true;
    }
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
    return false;
  }

  void ExpectReadable(uint64_t documents) {
    const ProgramResult found = Run({"search", "common", "--json", "--count"});
    EXPECT_EQ(found.exit_status, 0) << found.err;
    EXPECT_NE(found.out.find("\"total\":{\"value\":" + std::to_string(documents)),
              std::string::npos)
        << found.out;
    const ProgramResult verified = Run({"verify"});
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }

  uint64_t FreeBytes() const {
    struct statvfs facts {};
    EXPECT_EQ(statvfs(Medium().c_str(), &facts), 0);
    return uint64_t{facts.f_bavail} * facts.f_frsize;
  }

  // Fills the medium except for free_bytes.
  void FillUpTo(uint64_t free_bytes) {
    fs::remove(Ballast());
    const uint64_t free_now = FreeBytes();
    if (free_now <= free_bytes) return;
    std::ofstream(Ballast(), std::ios::binary) << std::string(free_now - free_bytes, 'b');
  }
  std::string Ballast() const { return Medium() + "/ballast"; }

  // Lines of random words that do not fit into a segment of 8 MiB.
  std::string WriteLargeInput() {
    std::mt19937_64 random(3);
    std::string text;
    while (text.size() < 12 * kMiB) {
      for (int word = 0; word < 12; ++word) text += std::to_string(random() % 5'000'000) + " ";
      text.back() = '\n';
    }
    return directory_.Write("large.txt", text);
  }

  const TemporaryDirectory directory_;
  bool mounted_ = false;
};

TEST_F(FullMedium, RefusesWhatDoesNotFitAndKeepsWhatWasThere) {
  const std::string large = WriteLargeInput();
  const ProgramResult result = Run({"index", "--append", "--format", "lines", large});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
  ExpectReadable(1);
  // On a larger medium indexing continues.
  ASSERT_EQ(mount("tmpfs", Medium().c_str(), "tmpfs", MS_REMOUNT, "size=1g"), 0)
      << std::strerror(errno);
  const ProgramResult again = Run({"index", "--append", "--format", "lines", large});
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(UnlistedFiles(Store()), std::set<std::string>());
  ExpectReadable(1);
}

TEST_F(FullMedium, FailsCleanlyWhateverIsLeft) {
  uint64_t documents = 1;
  uint64_t refused = 0;
  for (uint64_t free_kib = 0; free_kib <= 6 * 1024; free_kib += ByEffort(1024, 128)) {
    SCOPED_TRACE(std::to_string(free_kib) + " KiB left");
    FillUpTo(free_kib << 10);
    if (Append(directory_ / "small.jsonl")) {
      ++documents;
    } else {
      ++refused;
    }
    ExpectReadable(documents);
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(documents, 1u);
  fs::remove(Ballast());
  EXPECT_TRUE(Append(directory_ / "small.jsonl"));
  ExpectReadable(documents + 1);
}

}  // namespace full_medium_test
}  // namespace pmdex
