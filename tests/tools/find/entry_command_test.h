// What the tests of pmdex find and pmdex du have in common: trees of hostile names, and runs of
// both the program and find(1) or du(1) on them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/support/run_program.h"

namespace pmdex {

using Words = std::vector<std::string>;

inline constexpr char kFind[] = "/usr/bin/find";
inline constexpr char kDu[] = "/usr/bin/du";

// Sorted: the order is not that of find.
inline Words Parts(const std::string& output, char end) {
  Words parts;
  for (size_t begin = 0; begin < output.size();) {
    const size_t at = std::min(output.find(end, begin), output.size());
    parts.push_back(output.substr(begin, at - begin));
    begin = at + 1;
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

class EntryCommandTest : public testing::Test {
 protected:
  EntryCommandTest() : directory_(FastTemporaryParent()) {}

  ProgramResult RunHere(Words arguments) {
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX=", "LC_ALL=C", "TZ=UTC0"};
    return RunProgram(arguments, options);
  }
  ProgramResult Pmdex(Words arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    return RunHere(std::move(arguments));
  }
  void Index(const std::string& input, const Words& more = {"--attributes"}) {
    Words arguments = {"index", input, "--overwrite", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = Pmdex(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  // The entries, order apart, and the bytes of each.
  void ExpectAsFind(const Words& words, char end = '\n') {
    Words ours = {"find"};
    ours.insert(ours.end(), words.begin(), words.end());
    Words theirs = {kFind};
    theirs.insert(theirs.end(), words.begin(), words.end());
    const ProgramResult expected = RunHere(theirs);
    const ProgramResult found = Pmdex(ours);
    std::string shown;
    for (const std::string& word : words) absl::StrAppend(&shown, word, " ");
    EXPECT_EQ(found.exit_status, 0) << shown << found.err;
    EXPECT_EQ(Parts(found.out, end), Parts(expected.out, end)) << shown;
    lines_ += Parts(found.out, end).size();
  }
  void ExpectAsDu(const Words& words) {
    Words ours = {"du"};
    ours.insert(ours.end(), words.begin(), words.end());
    Words theirs = {kDu};
    theirs.insert(theirs.end(), words.begin(), words.end());
    std::string shown;
    for (const std::string& word : words) absl::StrAppend(&shown, word, " ");
    const ProgramResult found = Pmdex(ours);
    EXPECT_EQ(found.exit_status, 0) << shown << found.err;
    EXPECT_EQ(Parts(found.out, '\n'), Parts(RunHere(theirs).out, '\n')) << shown;
  }

  std::string Path(const std::string& name) const { return directory_ / name; }
  // A tree of every type of entry that this user may make, with names of any bytes.
  void MakeTree(uint32_t seed);
  void MakeEntry(std::mt19937& random, const std::string& path);

  const TemporaryDirectory directory_;
  size_t lines_ = 0;
};

inline std::string HostileName(std::mt19937& random) {
  static const Words kNames = {"a",        "b.c",   "x y",     "new\nline", "tab\t",
                               "\xff\xfe", "-name", "quo\"",   "back\\",    "*",
                               "[x]",      ".dot",  "UPPER.C", "\x1b[2J",   "ümlaut",
                               "z.h",      "!",     "(",       "'",         "e.txt"};
  return kNames[random() % kNames.size()] + (random() % 3 == 0 ? std::to_string(random() % 9) : "");
}

inline void EntryCommandTest::MakeEntry(std::mt19937& random, const std::string& path) {
  switch (random() % 9) {
    case 0:
      if (symlink(random() % 2 == 0 ? "some where" : "/", path.c_str()) != 0) return;
      return;
    case 1:
      if (mkfifo(path.c_str(), 0600) != 0) return;
      break;
    case 2:
      if (mknod(path.c_str(), S_IFCHR | 0600, makedev(random() % 300, 3)) != 0) return;
      break;
    default: {
      const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_EXCL, 0600);
      if (fd < 0) return;
      const std::string text(random() % 4 == 0 ? 0 : random() % 5000,
                             random() % 5 == 0 ? '\0' : 'w');
      EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      close(fd);
    }
  }
  if (random() % 5 == 0) (void)!link(path.c_str(), (path + "-linked").c_str());
  (void)!chmod(path.c_str(), random() % 010000);
  (void)!lchown(path.c_str(), random() % 3 == 0 ? 12345 : getuid(),
                random() % 4 == 0 ? 1 : getgid());
  const time_t now = time(nullptr);
  const timespec times[2] = {{now, 0}, {now - static_cast<time_t>(random() % (400 * 86400)), 5}};
  utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

inline void EntryCommandTest::MakeTree(uint32_t seed) {
  std::mt19937 random(seed);
  Words directories = {Path("tree")};
  mkdir(directories[0].c_str(), 0755);
  for (int i = 0; i < 12; ++i) {
    const std::string path = directories[random() % directories.size()] + "/" + HostileName(random);
    if (mkdir(path.c_str(), 0755) == 0) directories.push_back(path);
  }
  for (int i = 0; i < 150; ++i) {
    MakeEntry(random, directories[random() % directories.size()] + "/" + HostileName(random));
  }
}

}  // namespace pmdex
