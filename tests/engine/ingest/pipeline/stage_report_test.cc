#include "engine/ingest/pipeline/stage_report.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace stage_report_test {

StageReport Stage(int threads, double lifetime, double input_wait, double output_wait) {
  StageReport stage;
  stage.threads = threads;
  stage.lifetime_seconds = lifetime;
  stage.input_wait_seconds = input_wait;
  stage.output_wait_seconds = output_wait;
  return stage;
}

// Ten seconds in which nobody had much to do.
PipelineReport IdleRun() {
  PipelineReport report;
  report.seconds = 10;
  report.walk = Stage(1, 0.1, 0, 0);
  report.read = Stage(1, 10, 9, 0);
  report.index = Stage(2, 20, 18, 0);
  report.write = Stage(2, 20, 19, 0);
  report.publish = Stage(1, 0.1, 0, 0);
  return report;
}

TEST(StageReport, IsBusyWhenItDoesNotWait) {
  StageReport stage = Stage(2, 8, 1, 3);
  stage.bytes = uint64_t{100} << 20;
  EXPECT_DOUBLE_EQ(stage.busy_seconds(), 4);
  EXPECT_DOUBLE_EQ(stage.mib_per_second(), 50) << "of both threads, were they always busy";
  EXPECT_EQ(StageReport{}.mib_per_second(), 0);
  EXPECT_EQ(Stage(1, 1, 2, 0).busy_seconds(), 0) << "clocks need not agree to the last digit";
}

TEST(DescribeBottleneck, NamesTheIndexersWhenReadersWaitForThem) {
  PipelineReport report = IdleRun();
  report.index = Stage(2, 20, 1, 0);
  report.read = Stage(1, 10, 0.1, 8.1);
  EXPECT_EQ(DescribeBottleneck(report), "indexer-bound: readers waited 81 %");
}

TEST(DescribeBottleneck, NamesTheReadersWhenIndexersWaitForBlocks) {
  PipelineReport report = IdleRun();
  report.read = Stage(1, 10, 0, 0);
  report.index = Stage(2, 20, 12, 0);
  EXPECT_EQ(DescribeBottleneck(report), "reader-bound: indexers waited 60 %");
}

TEST(DescribeBottleneck, NamesTheWritersWhenIndexersWaitForMemory) {
  PipelineReport report = IdleRun();
  report.write = Stage(2, 20, 0, 1);
  report.index = Stage(2, 20, 0, 9);
  EXPECT_EQ(DescribeBottleneck(report), "writer-bound: indexers waited 45 %");
}

TEST(DescribeBottleneck, NamesPublishingWhenWritersDoLittleElse) {
  PipelineReport report = IdleRun();
  report.write = Stage(1, 10, 0, 8);
  report.publish = Stage(1, 8, 0, 0);
  report.index = Stage(2, 20, 0, 10);
  EXPECT_EQ(DescribeBottleneck(report), "publish-bound: indexers waited 50 %");
}

TEST(DescribeBottleneck, NamesTheWalkWhenReadersWaitForFiles) {
  PipelineReport report = IdleRun();
  report.walk = Stage(1, 9, 0, 0);
  report.read = Stage(1, 10, 7, 0);
  EXPECT_EQ(DescribeBottleneck(report), "walk-bound: readers waited 70 %");
}

TEST(DescribeBottleneck, NamesNobodyWhenTwoStagesAreAsBusy) {
  PipelineReport report = IdleRun();
  report.read = Stage(1, 10, 0, 1);
  report.index = Stage(2, 20, 1.2, 0);
  EXPECT_EQ(DescribeBottleneck(report), "balanced: indexers busy 94 %, readers busy 90 %");
}

TEST(DescribeBottleneck, CountsAStageThatEndedEarlyAsIdleFromThen) {
  PipelineReport report = IdleRun();
  report.read = Stage(1, 2, 0, 0);  // busy, for a fifth of the run
  report.index = Stage(1, 10, 0, 0);
  EXPECT_EQ(DescribeBottleneck(report), "indexer-bound: readers waited 0 %");
}

TEST(DescribeBottleneck, DoesNotJudgeAMoment) {
  PipelineReport report = IdleRun();
  report.seconds = 0.0312;
  EXPECT_EQ(DescribeBottleneck(report), "too short to tell: 0.031 s");
}

}  // namespace stage_report_test
}  // namespace pmdex
