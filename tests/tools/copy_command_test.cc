// Tests `pmdex copy` on the command line: a backup, and restoring it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace copy_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class CopyCommand : public testing::Test {
 protected:
  CopyCommand() {
    std::string text;
    for (int i = 0; i < 50; ++i) {
      text += json{{"id", std::to_string(i)}, {"t", "word" + std::to_string(i % 7)}}.dump() + "\n";
    }
    input_ = root_.Write("in.jsonl", text);
    EXPECT_EQ(Run({"index", input_, "--index", "index", "--place", "place", "--quiet"}), 0);
    EXPECT_EQ(
        Run({"index", input_, "--index", "index", "--append", "--tier", "compressed", "--quiet"}),
        0);
  }
  ProgramResult RunWhole(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = root_.path();
    return RunProgram(arguments, options);
  }
  int Run(const Arguments& arguments) { return RunWhole(arguments).exit_status; }
  json Hits(const std::string& index) {
    const ProgramResult result =
        RunWhole({"search", "word1 word2", "-k", "100", "--index", index, "--json"});
    return json::parse(result.out, nullptr, false)["hits"];
  }

  const TemporaryDirectory root_;
  std::string input_;
};

TEST_F(CopyCommand, IsAnIndexOfItsOwn) {
  const json before = Hits("index");
  const ProgramResult copied = RunWhole({"copy", "backup", "--index", "index", "--json"});
  ASSERT_EQ(copied.exit_status, 0) << copied.err;
  const json report = json::parse(copied.out);
  EXPECT_EQ(report["documents"], 100);
  EXPECT_EQ(report["segments"], 2);
  std::filesystem::remove_all(root_ / "index");
  std::filesystem::remove_all(root_ / "place");
  EXPECT_EQ(Run({"verify", "--index", "backup"}), 0);
  EXPECT_EQ(Hits("backup"), before);
  ASSERT_EQ(Run({"copy", "index", "--index", "backup"}), 0);  // the way back
  EXPECT_EQ(Hits("index"), before);
  EXPECT_EQ(Run({"index", input_, "--index", "index", "--append", "--quiet"}), 0);
}

TEST_F(CopyCommand, CopiesAnIndexThatAWatchKeeps) {
  root_.Write("tree/a", "word1");
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "watched", "--quiet"}), 0);
  EXPECT_EQ(Run({"copy", "backup", "--index", "watched"}), 0);
  EXPECT_EQ(Hits("backup").size(), 1u);
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "backup", "--quiet"}), 0);
  EXPECT_EQ(Hits("backup").size(), 1u);
}

TEST_F(CopyCommand, RefusesToReplaceAnIndex) {
  const json before = Hits("index");
  EXPECT_EQ(Run({"copy", "index", "--index", "index"}), 1);
  EXPECT_EQ(Run({"copy", "backup", "--index", "missing"}), 1);
  EXPECT_EQ(Run({"copy"}), 2);
  EXPECT_EQ(Hits("index"), before);
}

}  // namespace copy_command_test
}  // namespace pmdex
