// Tests `pmdex index --merge`.
#include "tools/merge_after_build.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace merge_after_build_test {

using nlohmann::json;

class MergeAfterBuildTest : public testing::Test {
 protected:
  json Index(int part, std::vector<std::string> flags) {
    const std::string id = std::to_string(part);
    const std::string input =
        root_.Write("in" + id + ".jsonl", "{\"id\": \"" + id + "\", \"t\": \"word\"}\n");
    flags.insert(flags.begin(), {PMDEX_BINARY, "index", input, "--index", index_, "--json"});
    if (part > 0) flags.emplace_back("--append");
    const ProgramResult result = RunProgram(flags);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  size_t Segments() {
    const ProgramResult result = RunProgram({PMDEX_BINARY, "info", "--index", index_, "--json"});
    return json::parse(result.out)["segments"].size();
  }
  uint64_t Found() {
    const ProgramResult result =
        RunProgram({PMDEX_BINARY, "search", "word", "--count", "--index", index_, "--json"});
    return json::parse(result.out)["total"]["value"];
  }

  const TemporaryDirectory root_{FastTemporaryParent()};
  const std::string index_ = root_ / "index";
};

TEST_F(MergeAfterBuildTest, KeepsTheSegmentsOfManyBuildsFew) {
  for (int part = 0; part < 30; ++part) Index(part, {});
  EXPECT_EQ(Segments(), 30u);  // without the flag nothing is merged
  Index(30, {"--merge"});
  EXPECT_LE(Segments(), 12u);
  EXPECT_EQ(Found(), 31u);
  EXPECT_EQ(RunProgram({PMDEX_BINARY, "verify", "--index", index_}).exit_status, 0);
}

TEST_F(MergeAfterBuildTest, MergesNothingOnceItIsStopped) {
  for (int part = 0; part < 15; ++part) Index(part, {});
  const auto directory = OpenFileDirectory(index_, {});
  ASSERT_TRUE(directory.ok()) << directory.status();
  StopFlag stop;
  stop.Set();
  const auto report = MergeAfterBuild(**directory, stop);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->is_stopped);
  EXPECT_EQ(Segments(), 15u);
}

}  // namespace merge_after_build_test
}  // namespace pmdex
