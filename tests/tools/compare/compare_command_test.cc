// `pmdex compare` as a program, over small real indexes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/run_program.h"
#include "tools/compare/cold_pages.h"
#include "tools/compare/compare_run.h"
#include "tools/compare/compare_state.h"
#include "tools/compare/index_source.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace compare_command_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class CompareCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string lines;
    std::string objects;
    for (int i = 0; i < 400; ++i) {
      const std::string line = std::string("every line ") + (i % 10 == 0 ? "tenth " : "") +
                               (i % 50 == 0 ? "seldom " : "") + std::to_string(i);
      lines += line + "\n";
      objects += R"({"id": ")" + std::to_string(i) + R"(", "body": ")" + line + "\"}\n";
    }
    directory_.Write("corpus.jsonl", objects);
    directory_.Write("corpus.txt", lines);
    directory_.Write("terms.txt", "every\ntenth\n");
    directory_.Write("pairs.txt", "every AND tenth\n");
    fs::create_directory(directory_ / "a");
    fs::create_directory(directory_ / "b");
  }
  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    return RunProgram(arguments, options);
  }
  void MakeIndexInX() {
    ASSERT_EQ(Run({"index", "corpus.txt", "--format", "lines", "--index", "x"}).exit_status, 0);
  }
  TemporaryDirectory directory_;
};

TEST_F(CompareCommandTest, MeasuresAnIndexWhereItIs) {
  MakeIndexInX();
  const ProgramResult run = Run({"compare", "--index", "x", "--queries", "terms.txt", "pairs.txt",
                                 "--threads", "1,2", "--passes", "2", "--json", "--out", "report"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report["answers_agree"], true);
  ASSERT_EQ(report["configurations"].size(), 4u) << "two modes, two numbers of threads";
  for (const json& one : report["configurations"]) {
    EXPECT_EQ(one["tier"], "uncompressed");
    EXPECT_EQ(one["directory"], "x");
    EXPECT_EQ(one["documents"], 400);
    EXPECT_EQ(one["scale"], 1);
    ASSERT_EQ(one["classes"].size(), 2u);
    EXPECT_EQ(one["classes"][0]["class"], "terms");
    for (const json& of : one["classes"]) {
      EXPECT_GT(of["mean_us"], 0);
      EXPECT_GT(of["qps"], 0);
      EXPECT_GE(of["max_us"], of["p99_us"]);
      EXPECT_FALSE(of["by_postings"].empty());
    }
  }
  EXPECT_EQ(report["skipped"][0]["what"], "compressed");
  EXPECT_EQ(json::parse(*ReadReportFile(directory_ / "report/report.json")), report);
  EXPECT_FALSE(fs::exists(directory_ / (std::string("report/") + kCompareStateFile)))
      << "the run is complete";
}

TEST_F(CompareCommandTest, CountsWhatTheClassesCostTheCpu) {
  MakeIndexInX();
  const ProgramResult run = Run({"compare", "--index", "x", "--queries", "terms.txt", "pairs.txt",
                                 "--passes", "1", "--counters", "--out", "report"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Counters: uncompressed x pruned, 1 thread"));
  const json report = json::parse(*ReadReportFile(directory_ / "report/report.json"));
  for (const json& one : report["configurations"]) {
    for (const json& of : one["classes"]) EXPECT_GT(of["counters"]["time_us"]["value"], 0);
  }
  EXPECT_THAT(*ReadReportFile(directory_ / "report/report.html"), HasSubstr("Where the cycles go"));
}

TEST_F(CompareCommandTest, BuildsInEachDirectoryAndRemovesWhatItMade) {
  const ProgramResult run = Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a,b", "--passes",
                                 "1", "--modes", "pruned", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  std::set<std::string> directories;
  for (const json& one : report["configurations"]) {
    directories.insert(one["directory"]);
    EXPECT_GT(one["build_s"], 0);
    EXPECT_GT(one["bytes_per_posting"], 0);
    EXPECT_GT(one["terms"], 0);
    EXPECT_GE(one["tokens"], one["postings"]);
    uint64_t sum = 0;
    for (const auto& [part, bytes] : one["part_bytes"].items()) sum += bytes.get<uint64_t>();
    EXPECT_EQ(one["bytes"], sum);
    EXPECT_GT(one["part_bytes"]["positions"], 0);
    EXPECT_FALSE(one["classes"].empty()) << "the sets are made from the index";
  }
  EXPECT_EQ(directories, (std::set<std::string>{"a", "b"}));
  EXPECT_FALSE(fs::exists(directory_ / "a/pmdex-compare"));
  EXPECT_FALSE(fs::exists(directory_ / "b/pmdex-compare"));
}

TEST_F(CompareCommandTest, CopiesAnIndexIntoTheDirectoriesAndLeavesItAsItIs) {
  MakeIndexInX();
  const ProgramResult run = Run({"compare", "--index", "x", "--queries", "terms.txt", "--dirs", "a",
                                 "--passes", "1", "--cold"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("uncompressed a pruned, 1 thread"));
  EXPECT_THAT(run.out, HasSubstr("answers agree: yes"));
  EXPECT_EQ(Run({"verify", "--index", "x"}).exit_status, 0);
}

TEST_F(CompareCommandTest, CopiesTheSegmentsOfAllPlaces) {
  ASSERT_EQ(Run({"index", "corpus.txt", "--format", "lines", "--index", "x", "--place", "pm"})
                .exit_status,
            0);
  IndexOrder order;
  order.program = PMDEX_BINARY;
  order.copy_of = directory_ / "x";
  order.tier = "compressed";
  order.place = directory_ / "a/copy";
  directory_.Write("a/copy/of-an-interrupted-run", "");
  const auto made = MakeIndex(order);
  ASSERT_TRUE(made.ok()) << made.status();
  fs::remove_all(directory_ / "pm");
  const ProgramResult verified = Run({"verify", "--index", "a/copy"});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

TEST_F(CompareCommandTest, SaysThatSegmentsAtAPlaceCannotBeCold) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  const TemporaryDirectory memory(std::string("/dev/shm"));
  const std::string place = memory / "place";
  ASSERT_EQ(Run({"index", "corpus.txt", "--format", "lines", "--index", "x", "--place", place})
                .exit_status,
            0);
  const ProgramResult run = Run({"compare", "--index", "x", "--queries", "terms.txt", "--modes",
                                 "pruned", "--passes", "1", "--cold", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  const json& one = report["configurations"][0];
  EXPECT_THAT(one["notes"].dump(), HasSubstr("not cold: " + place + " is in memory"));
  EXPECT_FALSE(one["classes"][0].contains("cold_mean_us"));
}

// A state as an interrupted run leaves it: one configuration is measured, with times that no run
// would measure.
TEST_F(CompareCommandTest, ResumeTakesWhatIsFinishedAndMeasuresTheRest) {
  MakeIndexInX();
  const std::vector<std::string> command = {"compare",   "--index", "x",      "--queries",
                                            "terms.txt", "--out",   "report", "--json"};
  json report = json::parse(Run(command).out);
  CompareOptions options;
  options.index = "x";
  options.query_files = {"terms.txt"};
  CompareState state;
  state.request = DescribeRequest(options);
  state.sets = {{"terms", {"every", "tenth"}}};
  state.finished = *ConfigurationsFromJson(report.dump(), "report");
  state.finished.resize(1);
  state.finished[0].classes[0].mean_us = 123456;
  directory_.Write(std::string("report/") + kCompareStateFile, StateToJson(state));
  std::vector<std::string> resumed = command;
  resumed.push_back("--resume");
  const ProgramResult run = Run(resumed);
  ASSERT_EQ(run.exit_status, 0) << run.err;
  report = json::parse(run.out);
  ASSERT_EQ(report["configurations"].size(), 2u);
  EXPECT_EQ(report["configurations"][0]["classes"][0]["mean_us"], 123456);
  EXPECT_NE(report["configurations"][1]["classes"][0]["mean_us"], 123456);
  directory_.Write(std::string("report/") + kCompareStateFile, StateToJson(state));
  resumed.insert(resumed.end(), {"--passes", "9"});
  EXPECT_THAT(Run(resumed).err, HasSubstr("another comparison"));
}

TEST_F(CompareCommandTest, AnswersThatDifferAreExitStatus1) {
  MakeIndexInX();
  const std::vector<std::string> command = {
      "compare", "--index", "x", "--queries", "terms.txt", "--out", "r", "--resume", "--json"};
  CompareOptions options;
  options.index = "x";
  options.query_files = {"terms.txt"};
  CompareState state;
  state.request = DescribeRequest(options);
  state.sets = {{"terms", {"every", "tenth"}}};
  ComparedConfiguration& wrong = state.finished.emplace_back();
  wrong.key = {"uncompressed", "x", "pruned", 1, 1, "any"};
  ComparedClass& terms = wrong.classes.emplace_back();
  terms.name = "terms";
  terms.mean_us = 1;
  terms.answers = {{1, std::nullopt}, {2, std::nullopt}};
  directory_.Write(std::string("r/") + kCompareStateFile, StateToJson(state));
  const ProgramResult run = Run(command);
  EXPECT_EQ(run.exit_status, 1);
  const json report = json::parse(run.out);
  EXPECT_EQ(report["answers_agree"], false);
  EXPECT_EQ(report["first_difference"]["query"], "every");
  EXPECT_THAT(run.err, HasSubstr("'every'"));
}

TEST_F(CompareCommandTest, OtherRunsAreShownBeside) {
  MakeIndexInX();
  const std::vector<std::string> command = {"compare",   "--index", "x",     "--queries",
                                            "terms.txt", "--modes", "pruned"};
  std::vector<std::string> first = command;
  first.insert(first.end(), {"--json", "--out", "elsewhere"});
  ASSERT_EQ(Run(first).exit_status, 0);
  std::vector<std::string> second = command;
  second.insert(second.end(), {"--beside", "elsewhere/report.json"});
  EXPECT_THAT(Run(second).out, HasSubstr("report: uncompressed x pruned, 1 thread"));
  second.back() = "terms.txt";
  EXPECT_EQ(Run(second).exit_status, 2) << "not JSON of compare";
}

TEST_F(CompareCommandTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(Run({"compare"}).exit_status, 2);
  EXPECT_EQ(Run({"compare", "--index", "x", "--corpus", "corpus.txt"}).exit_status, 2);
  EXPECT_EQ(Run({"compare", "--index", "x", "--resume"}).exit_status, 2);
  EXPECT_EQ(Run({"compare", "--index", "missing"}).exit_status, 1);
  MakeIndexInX();
  directory_.Write("bad.txt", "(\n");
  EXPECT_EQ(Run({"compare", "--index", "x", "--queries", "bad.txt"}).exit_status, 2);
  fs::create_directory(directory_ / "a/pmdex-compare");
  const ProgramResult taken = Run({"compare", "--index", "x", "--dirs", "a"});
  EXPECT_EQ(taken.exit_status, 1);
  EXPECT_THAT(taken.err, HasSubstr("--resume"));
}

TEST(DropPages, SaysWhatStayed) {
  const TemporaryDirectory directory;
  directory.Write("f", std::string(1 << 20, 'x'));
  const auto dropped = DropPages({directory.path()});
  ASSERT_TRUE(dropped.ok()) << dropped.status();
  if (dropped->why_not.empty()) {
    EXPECT_EQ(dropped->pages, 256u);
    EXPECT_LE(dropped->resident, 2u);
  }
  EXPECT_FALSE(DropPages({directory / "missing"}).ok());
}

TEST(DropPages, CannotDropTmpfs) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  const TemporaryDirectory directory(std::string("/dev/shm"));
  directory.Write("f", "x");
  const auto dropped = DropPages({directory.path()});
  ASSERT_TRUE(dropped.ok());
  EXPECT_THAT(dropped->why_not, HasSubstr("in memory"));
}

TEST(DropPages, CountsAllDirectories) {
  const TemporaryDirectory directory;
  fs::create_directories(directory / "a");
  fs::create_directories(directory / "b");
  directory.Write("a/f", std::string(1 << 14, 'x'));
  directory.Write("b/f", std::string(1 << 13, 'x'));
  const auto dropped = DropPages({directory / "a", directory / "b"});
  ASSERT_TRUE(dropped.ok()) << dropped.status();
  EXPECT_TRUE(!dropped->why_not.empty() || dropped->pages == 6u) << dropped->pages;
}

TEST(MakeIndex, ReportsWhatTheCommandSaid) {
  const TemporaryDirectory directory;
  IndexOrder order;
  order.program = PMDEX_BINARY;
  order.inputs = {directory / "missing"};
  order.tier = "uncompressed";
  order.place = directory / "index";
  const auto made = MakeIndex(order);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(std::string(Message(made.status())), HasSubstr("No such file"));
}

}  // namespace compare_command_test
}  // namespace pmdex
