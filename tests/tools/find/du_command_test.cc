// Compares pmdex du with du(1) on generated trees with hostile names.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/support/effort.h"
#include "tests/tools/find/entry_command_test.h"

namespace pmdex {
namespace du_command_test {

using DuCommand = EntryCommandTest;

TEST_F(DuCommand, HasTheFiguresOfDu) {
  std::mt19937 random(3);
  for (uint32_t seed = 1; seed <= (kIsSanitized ? 1u : 3u); ++seed) {
    std::filesystem::remove_all(Path("tree"));
    MakeTree(seed);
    directory_.Write("tree/large", std::string(3'000'000, 'w'));
    Index("tree");
    for (const Words& words : std::vector<Words>{{"tree"},
                                                 {"-a", "tree"},
                                                 {"-b", "tree"},
                                                 {"-ab", "tree"},
                                                 {"-h", "tree"},
                                                 {"-sh", "tree/"},
                                                 {"-s", "tree", "tree"},
                                                 {"-d", "1", "tree"},
                                                 {"-a", "-d", "2", "-b", "tree"},
                                                 {"--max-depth=0", "tree"},
                                                 {"--inodes", "tree"},
                                                 {"--inodes", "-h", "-s", "tree", "tree"},
                                                 {"--time", "tree"},
                                                 {"--time", "--inodes", "-d", "1", "tree"},
                                                 {"-a", "--time", "-b", "tree"},
                                                 {"-a", "--inodes", "tree"},
                                                 {"tree/large"}}) {
      // Which name of a file counts depends on the order of a directory: a name beside it takes
      // as much, so only the lines of files may differ. These trees link within a directory.
      if (std::find(words.begin(), words.end(), "-a") == words.end() && words[0] != "-ab") {
        ExpectAsDu(words);
      } else {
        std::filesystem::path tree = Path("tree");
        for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
          const std::string name = entry.path().filename().string();
          if (name.ends_with("-linked")) std::filesystem::remove(entry.path());
        }
        Index("tree");
        ExpectAsDu(words);
      }
    }
  }
}

TEST_F(DuCommand, CountsManyEntriesAsDuDoes) {
  std::filesystem::create_directories(Path("tree/a/b"));
  for (int i = 0; i < 1100; ++i) directory_.Write(absl::StrCat("tree/a/b/", i), "");
  std::filesystem::create_hard_link(Path("tree/a/b/7"), Path("tree/a/b/again"));
  Index("tree");
  ExpectAsDu({"--inodes", "tree"});
  ExpectAsDu({"--inodes", "-h", "tree"});
  const ProgramResult both = Pmdex({"du", "--inodes", "-b", "-s", "tree"});
  EXPECT_EQ(both.out, "1103\ttree\n");
  EXPECT_NE(both.err.find("warning"), std::string::npos) << both.err;
}

TEST_F(DuCommand, ShowsTheNewestTimeOfTheTimeZone) {
  directory_.Write("tree/d/old", "x");
  directory_.Write("tree/new", "x");
  // 2021-12-31 23:59:59.9 UTC is another year to the east.
  const timespec last = {1'640'995'199, 900'000'000};
  const timespec before = {-1, 0};
  const auto set = [this](const std::string& name, const timespec& time) {
    const timespec times[2] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), times, 0), 0);
  };
  set("tree/new", last);
  set("tree/d/old", before);
  set("tree/d", before);
  set("tree", before);
  Index("tree");
  ExpectAsDu({"--time", "-a", "tree"});
  ProgramOptions options;
  options.directory = directory_.path();
  options.environment = {"PMDEX_INDEX=", "LC_ALL=C", "TZ=EAST-3"};
  const ProgramResult east =
      RunProgram({PMDEX_BINARY, "du", "--time", "--inodes", "tree"}, options);
  EXPECT_EQ(east.out, "2\t1970-01-01 02:59\ttree/d\n4\t2022-01-01 02:59\ttree\n");
  EXPECT_EQ(RunProgram({kDu, "--time", "--inodes", "tree"}, options).out, east.out);
}

TEST_F(DuCommand, HasDirectoriesInJson) {
  directory_.Write("tree/d/a", "12345");
  directory_.Write("tree/b", "123");
  const timespec times[2] = {{5, 0}, {1'640'995'199, 900'000'000}};
  for (const char* name : {"tree/d/a", "tree/b", "tree/d", "tree"}) {
    const timespec old[2] = {{5, 0}, {5, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), old, 0), 0);
  }
  ASSERT_EQ(utimensat(AT_FDCWD, Path("tree/d/a").c_str(), times, 0), 0);
  Index("tree");
  const ProgramResult result = Pmdex({"du", "--json", "-b", "tree", "gone"});
  EXPECT_EQ(result.exit_status, 1) << "of the path that is gone";
  const auto json = nlohmann::json::parse(result.out);
  const ProgramResult theirs = RunHere({kDu, "-b", "tree"});
  ASSERT_EQ(json["entries"].size(), 2u) << result.out;
  const auto& inner = json["entries"][0];
  const auto& outer = json["entries"][1];
  EXPECT_EQ(inner["path"], "tree/d");
  EXPECT_EQ(inner["count"], 2);
  EXPECT_EQ(outer["count"], 4);
  EXPECT_EQ(outer["newest"], "2021-12-31T23:59:59.9Z");
  EXPECT_EQ(inner["newest"], outer["newest"]);
  const auto line = [](const nlohmann::json& entry) {
    return absl::StrCat(entry["bytes"].get<uint64_t>(), "\t", entry["path"].get<std::string>());
  };
  EXPECT_EQ(line(inner) + "\n" + line(outer) + "\n", theirs.out);
}

}  // namespace du_command_test
}  // namespace pmdex
