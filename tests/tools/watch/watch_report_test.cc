#include "tools/watch/watch_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pmdex {
namespace watch_report_test {

WatchReport SomeReport() {
  WatchReport report;
  report.applied = {1, 2, 3, 4, 500, 6};
  report.unchanged = 7;
  report.overflows = 8;
  report.seconds = 0.5;
  report.source = "inotify";
  report.problems[ProblemKind::kBinaryFile].count = 9;
  report.problems[ProblemKind::kInvalidUtf8].count = 10;  // indexed all the same
  report.lag.Add(std::chrono::milliseconds(2));
  return report;
}

TEST(WatchReport, JsonHasTheCountsOfDocuments) {
  const auto json = nlohmann::json::parse(WatchReportJson(SomeReport(), /*once=*/true));
  EXPECT_EQ(json["added"], 1);
  EXPECT_EQ(json["updated"], 2);
  EXPECT_EQ(json["renamed"], 3);
  EXPECT_EQ(json["removed"], 4);
  EXPECT_EQ(json["unchanged"], 7);
  EXPECT_EQ(json["skipped"], 9);
  EXPECT_EQ(json["bytes_in"], 500);
  EXPECT_EQ(json["generations"], 6);
  EXPECT_EQ(json["seconds"], 0.5);
  EXPECT_FALSE(json.contains("lag"));
}

TEST(WatchReport, AWatchAlsoSaysWhatItMeasured) {
  const auto json = nlohmann::json::parse(WatchReportJson(SomeReport(), /*once=*/false));
  EXPECT_EQ(json["source"], "inotify");
  EXPECT_EQ(json["overflows"], 8);
  EXPECT_EQ(json["lag"]["changes"], 1);
  EXPECT_EQ(json["lag"]["max_ms"], 2.0);
  EXPECT_EQ(WatchReportText(SomeReport()),
            "1 added, 2 updated, 3 renamed, 4 removed; lag p50 2.0 ms, p99 2.0 ms, max 2.0 ms");
}

}  // namespace watch_report_test
}  // namespace pmdex
