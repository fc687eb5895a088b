// Compares pmdex find with find(1) on generated trees with hostile names: find_evaluator,
// index_entries and starting_points by what they print.
#include "tools/find/find_command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/support/effort.h"
#include "tests/tools/find/entry_command_test.h"

namespace pmdex {
namespace find_command_test {

using FindCommand = EntryCommandTest;

TEST_F(FindCommand, PrintsTheEntriesAndTheBytesOfFind) {
  for (uint32_t seed = 1; seed <= (kIsSanitized ? 1u : 3u); ++seed) {
    std::filesystem::remove_all(Path("tree"));
    MakeTree(seed);
    Index("tree");
    for (const Words& words : std::vector<Words>{
             {"tree"},
             {"tree/"},
             {"tree//"},
             {"./tree", "tree"},
             {"tree", "-name", "*.c"},
             {"tree", "-iname", "*.C"},
             {"tree", "-name", "tree"},
             {"tree", "-name", ".*"},
             {"tree", "-path", "tree/*/*"},
             {"tree", "-ipath", "TREE/A*"},
             {"tree", "-size", "+2"},
             {"tree", "-size", "-3"},
             {"tree", "-size", "1k"},
             {"tree", "-size", "0"},
             {"tree", "-size", "+1000c"},
             {"tree", "-mtime", "+30"},
             {"tree", "-mtime", "-30"},
             {"tree", "-mtime", "0"},
             {"tree", "-mtime", "7", "-o", "-mtime", "8", "-o", "-mtime", "9.5"},
             {"tree", "-mmin", "-100"},
             {"tree", "-mmin", "+100000"},
             {"tree", "-newer", "tree"},
             {"tree", "-uid", "12345"},
             {"tree", "-uid", "+0"},
             {"tree", "-user", "root"},
             {"tree", "-group", "daemon"},
             {"tree", "-gid", "-1"},
             {"tree", "-perm", "-044"},
             {"tree", "-perm", "/u+s,o+t"},
             {"tree", "-perm", "755"},
             {"tree", "-perm", "-u=x,g=u"},
             {"tree", "-perm", "/a+X"},
             {"tree", "-type", "d"},
             {"tree", "-type", "l,p,c"},
             {"tree", "-empty"},
             {"tree", "!", "-empty", "-type", "d"},
             {"tree", "-links", "+1"},
             {"tree", "-links", "2", "-not", "-type", "d"},
             {"tree", "-maxdepth", "1"},
             {"tree", "-mindepth", "2", "-maxdepth", "3"},
             {"tree", "(", "-name", "a*", "-o", "-type", "d", ")", "-a", "-size", "-9"},
             {"tree", "-name", "a*", "-print", "-o", "-type", "l", "-print"},
             {"tree", "-false", "-o", "-true"}}) {
      ExpectAsFind(words);
      Words zero = words;
      if (std::find(zero.begin(), zero.end(), "-print") != zero.end()) continue;
      if (std::find(zero.begin(), zero.end(), "-o") != zero.end()) continue;
      zero.push_back("-print0");
      ExpectAsFind(zero, '\0');
    }
    // A number in the place of a name widens the column for the lines behind it, and the order of
    // lines is not that of find.
    ExpectAsFind({"tree", "!", "-uid", "12345", "-ls"});
    ExpectAsFind({"tree", "-uid", "12345", "-ls"});
    ExpectAsFind(
        {"tree", "-type", "c", "-user", "root", "-ls", "-o", "-type", "l", "-uid", "0", "-ls"});
  }
  EXPECT_GT(lines_, kIsSanitized ? 1000u : 3000u);
}

TEST_F(FindCommand, TakesOtherSpellingsOfAPath) {
  for (const char* directory : {"tree", "tree/a", "tree/a/b"}) {
    ASSERT_EQ(mkdir(Path(directory).c_str(), 0755), 0);
  }
  for (const char* input : {"tree", "./tree", "."}) {
    Index(input);
    for (const char* path :
         {"tree//a", "tree/./a", ".//tree/a", "tree/a/b/..", "./tree/././a//b"}) {
      ExpectAsFind({path});
    }
    ExpectAsFind({Path("tree")});
    ExpectAsFind({Path("tree/a"), "-name", "b"});
    ExpectAsFind({Path("tree") + "/a//b"});
  }
  EXPECT_EQ(Pmdex({"find", "tree/b"}).exit_status, 1);
}

TEST_F(FindCommand, PrintsTheEntriesOfManyWindows) {
  mkdir(Path("tree").c_str(), 0755);
  mkdir(Path("tree.d").c_str(), 0755);  // between the tree and what is in it, in the order of bytes
  std::mt19937 random(5);
  for (int i = 0; i < 9000; ++i) {
    const std::string directory = Path(i % 7 == 0 ? "tree.d" : absl::StrCat("tree/d", i % 50));
    mkdir(directory.c_str(), 0755);
    const std::string path = absl::StrCat(directory, "/", random() % 300, ".x", i);
    const int fd = open(path.c_str(), O_CREAT | O_WRONLY, random() % 2 == 0 ? 0640 : 0400);
    ASSERT_GE(fd, 0);
    const timespec now = {time(nullptr) - static_cast<time_t>(random() % (40 * 86400)), 0};
    const timespec times[2] = {now, now};
    ASSERT_EQ(futimens(fd, times), 0);
    ASSERT_EQ(ftruncate(fd, static_cast<off_t>(random() % 3000)), 0);
    close(fd);
  }
  Index(".");
  for (const Words& words : std::vector<Words>{
           {"./tree"},
           {"./tree", "-name", "7*"},
           {"./tree", "-name", "*9"},
           {"./tree", "-name", "*7*"},
           {"./tree", "-name", "7*[13].x*5"},
           {"./tree", "-path", "*/d1*"},
           {"./tree", "-path", "*/d1/*"},
           {"./tree", "-path", "*d4?/2*.x1*"},
           {"./tree", "-ipath", "./TREE/*7"},
           {"tree", "-path", "tree/d7/*"},
           {"./tree", "-size", "-2", "-name", "*77*"},
           {"./tree.d", "-size", "-3", "-mtime", "-9"},
           {"./tree", "-newer", "./tree/d1", "-o", "-perm", "-200"},
           {"./tree", "-type", "d", "!", "-empty"},
           {"./tree", "(", "-name", "1*", "-o", "-size", "+4", ")", "!", "-name", "*5"},
           {"./tree/d3", "./tree/d33", "-mmin", "+20000"}}) {
    ExpectAsFind(words);
  }
  EXPECT_GT(lines_, 20'000u);
}

std::string RandomPattern(std::mt19937& random) {
  static const Words kParts = {"*",   "*",   "?", "a",     "b.c", "/",      ".",  "x",    "tree",
                               "[a]", "[!a", "]", "[a-z]", "\\*", "1",      "-",  "\xff", "UPPER",
                               "e.t", "new", " ", "(",     "ck",  "[.d-x]", "\n", "quo"};
  std::string pattern;
  for (uint32_t n = 1 + random() % 5; n > 0; --n) pattern += kParts[random() % kParts.size()];
  return pattern;
}

TEST_F(FindCommand, PatternsMatchWhatThoseOfFindDo) {
  MakeTree(4);
  Index("tree");
  std::mt19937 random(6);
  for (int i = 0; i < Rounds(250); ++i) {
    static const Words kTests = {"-name", "-iname", "-path", "-ipath"};
    static const Words kPoints = {"tree", "./tree", "tree/", "tree"};
    Words words = {kPoints[random() % kPoints.size()]};
    for (uint32_t n = 1 + random() % 2; n > 0; --n) {
      if (words.size() > 1 && random() % 2 == 0) words.push_back("-o");
      if (random() % 4 == 0) words.push_back("!");
      words.push_back(kTests[random() % kTests.size()]);
      const bool is_path = words.back().ends_with("path");
      words.push_back((is_path ? "*" : "") + RandomPattern(random) + (is_path ? "*" : ""));
    }
    ExpectAsFind(words);
  }
  EXPECT_GT(lines_, kIsSanitized ? 100u : 5000u);
}

TEST_F(FindCommand, TheInodeOfAnEntryFindsIt) {
  MakeTree(9);
  Index(Path("tree"));
  struct stat facts;
  ASSERT_EQ(stat(Path("tree").c_str(), &facts), 0);
  ExpectAsFind({Path("tree"), "-inum", std::to_string(facts.st_ino)});
  ExpectAsFind({Path("tree") + "/", "-user", "root", "-ls"});
  ExpectAsFind({"tree", "-print0"}, '\0');  // the index has the absolute path
}

TEST_F(FindCommand, AnswersFromTheIndexAlone) {
  directory_.Write("tree/a.txt", "apple pear");
  directory_.Write("tree/b.txt", "apple");
  directory_.Write("tree/c.md", "pear");
  Index("tree");
  std::filesystem::remove_all(Path("tree"));
  EXPECT_EQ(Parts(Pmdex({"find"}).out, '\n'),
            (Words{"tree", "tree/a.txt", "tree/b.txt", "tree/c.md"}));
  EXPECT_EQ(Pmdex({"find", "-maxdepth", "0"}).out, "tree\n");
  EXPECT_EQ(Parts(Pmdex({"find", "tree", "--match", "pear"}).out, '\n'),
            (Words{"tree/a.txt", "tree/c.md"}));
  EXPECT_EQ(Pmdex({"find", "--index", "pmdex-index", "-name", "*.txt", "--match", "pear"}).out,
            "tree/a.txt\n");
  EXPECT_EQ(Pmdex({"find", "tree", "--match", "ext:txt AND apple", "-size", "-6c"}).out,
            "tree/b.txt\n");
  const ProgramResult sub = Pmdex({"find", "tree/a.txt", "gone"});
  EXPECT_EQ(sub.out, "tree/a.txt\n");
  EXPECT_EQ(sub.exit_status, 1);
  EXPECT_NE(sub.err.find("gone"), std::string::npos);
}

TEST_F(FindCommand, NewerTakesPathsOutsideTheIndex) {
  const auto write = [this](const std::string& name, int64_t seconds) {
    directory_.Write(name, "x");
    const timespec times[2] = {{seconds, 7}, {seconds, 7}};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), times, 0), 0);
  };
  write("tree/a", 1'000'000'000);
  write("tree/b", 1'100'000'000);
  write("tree/c", 1'200'000'000);
  write("outside", 1'100'000'000);
  std::filesystem::create_symlink(Path("tree/a"), Path("link"));
  Index("tree");
  for (const Words& words : std::vector<Words>{{"tree", "-newer", "outside"},
                                               {"tree", "-newer", Path("outside")},
                                               {"tree", "!", "-newer", "outside"},
                                               {"tree", "-newer", "link"},
                                               {"tree", "-newer", "tree/b"},
                                               {"tree", "-newermt", "2001-09-09 01:46:40"},
                                               {"tree", "-newermt", "2001-09-09 01:46:41"},
                                               {"tree", "-newermt", "2004-11-09T14:13:20+02:00"},
                                               {"tree", "-newermt", "@1100000000"},
                                               {"tree", "-newermt", "2005-01-01"},
                                               {"tree", "!", "-newermt", "2005-01-01"}}) {
    ExpectAsFind(words);
  }
  EXPECT_GT(lines_, 20u);
  // The time of a path that is in the index is that of the index.
  write("tree/b", 1'300'000'000);
  EXPECT_EQ(Pmdex({"find", "tree", "-type", "f", "-newer", "tree/b"}).out, "tree/c\n");
  const ProgramResult theirs = RunHere({kFind, "tree", "-newer", "nosuch"});
  const ProgramResult ours = Pmdex({"find", "tree", "-newer", "nosuch"});
  EXPECT_EQ(ours.exit_status, theirs.exit_status);
  EXPECT_EQ(ours.out, "");
  EXPECT_EQ(ours.err, "pmdex: error: " + theirs.err.substr(theirs.err.find("find: ")));
}

TEST_F(FindCommand, AnUnknownAccountIsAnErrorAsInFind) {
  directory_.Write("tree/a", "x");
  Index("tree");
  for (const Words& test : std::vector<Words>{{"-user", "nosuch"}, {"-group", "nosuch"}}) {
    const ProgramResult theirs = RunHere({kFind, "tree", test[0], test[1]});
    const ProgramResult ours = Pmdex({"find", "tree", test[0], test[1]});
    EXPECT_EQ(ours.exit_status, theirs.exit_status);
    EXPECT_EQ(ours.out, theirs.out);
    const std::string said = theirs.err.substr(theirs.err.find("find: "));
    EXPECT_EQ(ours.err, "pmdex: error: " + said);
  }
  ExpectAsFind({"tree", "-user", "4711", "-o", "-group", "root", "-o", "-group", "4711"});
}

TEST_F(FindCommand, WithoutAttributesItFindsTheFilesWithText) {
  directory_.Write("tree/a", "x");
  directory_.Write("tree/d/b", "y");
  Index("tree", {});
  EXPECT_EQ(Parts(Pmdex({"find", "tree"}).out, '\n'), (Words{"tree/a", "tree/d/b"}));
  ExpectAsFind({"tree/d", "-mindepth", "1"});
  const ProgramResult du = Pmdex({"du", "tree"});
  EXPECT_EQ(du.exit_status, 1);
  EXPECT_NE(du.err.find("--attributes"), std::string::npos);
}

TEST_F(FindCommand, UnknownPredicatesAreWrongUsage) {
  directory_.Write("tree/a", "x");
  Index("tree");
  for (const Words& words :
       std::vector<Words>{{"find", "-nosuch"},
                          {"find", "tree", "-exec", "rm"},
                          {"find", "--nosuch", "x"},
                          {"find", "tree", "-size", "1z"},
                          {"du", "-q"},
                          {"du", "-s", "-a"},
                          {"du", "-s", "-d", "1"},
                          {"du", "-d", "x"},
                          {"index", "tree", "--format", "lines", "--attributes"}}) {
    const ProgramResult result = Pmdex(words);
    EXPECT_EQ(result.exit_status, 2) << words.back() << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(Pmdex({"find", "--help"}).exit_status, 0);
  EXPECT_NE(Pmdex({"find", "-h"}).out.find("-newer"), std::string::npos);
}

}  // namespace find_command_test
}  // namespace pmdex
