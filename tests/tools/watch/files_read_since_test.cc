// What `pmdex index` says of when it read the files of an index: `pmdex watch` takes documents over
// by it, so that it must never be later than the first reading of any of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace files_read_since_test {

class FilesReadSince : public testing::Test {
 protected:
  FilesReadSince() {
    std::filesystem::create_directory(root_ / "tree");
    root_.Write("tree/a.txt", "apple");
  }
  void Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.push_back("--quiet");
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
  // Empty if the index does not say it.
  std::string SinceOf(const std::string& index) {
    const ProgramResult info = RunProgram({PMDEX_BINARY, "info", "--index", index, "--json"});
    EXPECT_EQ(info.exit_status, 0) << info.err;
    return nlohmann::json::parse(info.out)["settings"].value("files_read_since", "");
  }

  const TemporaryDirectory root_;
  const std::string tree_ = root_ / "tree";
  const std::string index_ = root_ / "index";
};

TEST_F(FilesReadSince, IsTheBeginOfTheFirstBuild) {
  Run({"index", tree_, "--index", index_});
  const std::string first = SinceOf(index_);
  EXPECT_NE(first, "");
  root_.Write("tree/b.txt", "pear");
  Run({"index", tree_, "--index", index_, "--append", "--update"});
  EXPECT_EQ(SinceOf(index_), first);
  Run({"index", tree_, "--index", index_, "--overwrite"});
  EXPECT_GT(SinceOf(index_), first);
}

TEST_F(FilesReadSince, IsUnknownWhereBuildsWereJoined) {
  const std::string other = root_ / "other";
  const std::string both = root_ / "both";
  Run({"index", tree_, "--index", index_});
  Run({"index", root_.Write("c.txt", "fig"), "--index", other});
  Run({"union", index_, other, "--index", both});
  EXPECT_EQ(SinceOf(both), "");
}

}  // namespace files_read_since_test
}  // namespace pmdex
