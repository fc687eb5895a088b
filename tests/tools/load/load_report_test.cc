#include "tools/load/load_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/tools/server/search_server.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace load_report_test {

using nlohmann::json;
using testing::HasSubstr;

LoadResult StepOf(double rate, size_t connections, uint64_t ok, uint64_t shed) {
  LoadResult step;
  step.plan.rate = rate;
  step.plan.connections = connections;
  step.seconds = 2;
  step.due = ok + shed;
  step.ok = ok;
  step.shed = shed;
  step.latencies = {10, 9, 20, 30, 40, 50};
  return step;
}

LoadReport TwoKinds() {
  return {"http://a:1", "file", {StepOf(100, 64, 200, 0), StepOf(0, 8, 50, 3)}};
}

TEST(LoadReport, TellsBothKindsOfStepsAsJson) {
  const json report = json::parse(LoadReportToJson(TwoKinds()));
  EXPECT_EQ(report["url"], "http://a:1");
  ASSERT_EQ(report["steps"].size(), 2u);
  EXPECT_EQ(report["steps"][0]["rate"], 100);
  EXPECT_EQ(report["steps"][0]["ok_per_second"], 100);
  EXPECT_EQ(report["steps"][0]["latency"]["p99_9_us"], 40);
  EXPECT_FALSE(report["steps"][0].contains("shed_latency"));
  EXPECT_EQ(report["steps"][1]["clients"], 8);
  EXPECT_EQ(report["steps"][1]["queries_per_minute"], 1500);
  EXPECT_EQ(report["steps"][1]["shed"], 3);
}

TEST(LoadReport, LeavesOutLatenciesThatWereNotMeasured) {
  const LoadReport report{"u", "f", {StepOf(100, 1, 0, 0)}};
  EXPECT_FALSE(json::parse(LoadReportToJson(report))["steps"][0].contains("latency"));
  EXPECT_THAT(LoadTableLine(report.steps[0]), HasSubstr(" - "));
  EXPECT_TRUE(LoadPlots(report).empty());
}

TEST(LoadReport, DrawsEachKindOfStepOverItsOwnAxis) {
  const std::vector<Plot> plots = LoadPlots(TwoKinds());
  ASSERT_EQ(plots.size(), 3u);
  const auto& by_rate = std::get<LinePlot>(plots[0]);
  ASSERT_EQ(by_rate.series.size(), 4u);
  ASSERT_EQ(by_rate.series[1].points.size(), 1u);
  EXPECT_EQ(by_rate.series[1].points[0].x, 100);
  EXPECT_EQ(by_rate.series[1].points[0].y, 30);
  EXPECT_EQ(std::get<LinePlot>(plots[1]).series[0].points[0].x, 8);
  EXPECT_EQ(std::get<LinePlot>(plots[2]).series[0].points[0].y, 1500);
}

TEST(LoadReport, WritesAPageBesideItsJson) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(WriteLoadReport(TwoKinds(), directory / "out").ok());
  const auto page = ReadReportFile(directory / "out/bench-server.html");
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("Latency at a given rate, open loop"));
  const auto text = ReadReportFile(directory / "out/bench-server.json");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, LoadReportToJson(TwoKinds()) + "\n");
}

TEST(LoadReport, IsWhatBenchServerPrintsAndWrites) {
  SearchServer server({"apple", "pear"});
  const TemporaryDirectory directory;
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {PMDEX_BINARY, "bench-server"});
    return RunProgram(flags);
  };
  const std::string requests = directory.Write("requests", "apple\nGET /healthz\n");
  const ProgramResult result =
      run({server.address(), "--requests", requests, "--rate", "200,400", "--clients", "2",
           "--seconds", "0.2", "--json", "--out", directory / "out"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["steps"].size(), 3u);
  for (const json& step : report["steps"]) EXPECT_EQ(step["ok"], step["requests"]);
  EXPECT_TRUE(std::filesystem::exists(directory / "out/bench-server.html"));
  EXPECT_THAT(
      run({server.address(), "--requests", requests, "--clients", "1", "--seconds", "0.1"}).out,
      HasSubstr("1 clients"));
  EXPECT_EQ(run({"unix:" + (directory / "none"), "--requests", requests}).exit_status, 1);
  EXPECT_EQ(run({"http://nohost.invalid:80", "--requests", requests}).exit_status, 1);
  EXPECT_EQ(run({"https://a", "--requests", requests}).exit_status, 2);
  EXPECT_EQ(run({server.address(), "--requests", directory / "none"}).exit_status, 1);
}

}  // namespace load_report_test
}  // namespace pmdex
