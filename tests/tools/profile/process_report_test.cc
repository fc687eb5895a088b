#include "tools/profile/process_report.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/run_program.h"
#include "tests/tools/profile/fake_counters.h"
#include "tools/profile/thread_metrics.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace process_report_test {

// As if the made-up PMU had counted.
MetricSet MadeUpMetrics(const EventTable& table) {
  std::vector<GroupCounts> counted;
  for (const EventGroup& group : table.groups) {
    GroupCounts& counts = counted.emplace_back();
    counts.runs = 1;
    counts.enabled_ns = counts.running_ns = 1'000'000;
    for (const std::string_view event : group.events) {
      counts.counts.push_back(static_cast<double>(MadeUpCount(event)));
    }
  }
  return MetricsOfThreads(table, counted).value();
}

// A server that was sampled on a CPU with a PMU.
ProcessProfile MadeUpProfile(int threads) {
  ProcessProfile profile;
  profile.pid = 4711;
  profile.command = "pmdex";
  profile.seconds = 10;
  profile.cpu.brand = "a made-up Zen 4";
  profile.table = std::make_shared<const EventTable>(Zen4Table());
  profile.metrics = MadeUpMetrics(*profile.table);
  profile.phases = {{"candidates", 600, 0.75}, {"protocol", 200, 0.25}};
  for (int i = 0; i < threads; ++i) {
    ThreadProfile& thread = profile.threads.emplace_back();
    thread.thread = static_cast<uint32_t>(5000 + i);
    thread.name = "worker";
    thread.samples = 800 / static_cast<uint64_t>(threads);
    thread.cpu_s = 1.5;
    thread.has_counts = true;
    thread.metrics = profile.metrics;
    thread.phases = profile.phases;
    profile.samples += thread.samples;
    profile.stacks[{"worker", "EventLoop::Run", "SegmentSearch::Run"}] += thread.samples;
  }
  return profile;
}

TEST(ProcessReport, HasTheColumnsOfAllLevels) {
  const std::string text = ProcessProfileToText(MadeUpProfile(2));
  for (const char* title : {"IPC", "retiring", "backend", "microcode", "frontend latency", "core",
                            "memory", "LLC misses per 1,000"}) {
    EXPECT_NE(text.find(title), std::string::npos) << title << "\n" << text;
  }
}

TEST(ProcessReport, DrawsTopDownBarsOfThreads) {
  const TemporaryDirectory out;
  const std::string report = ReportDirectory(out, "process");
  ASSERT_TRUE(WriteProcessReport(MadeUpProfile(30), report).ok());
  const auto page = ReadReportFile(report + "/report.html");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("Level 1 by thread"), std::string::npos);
  EXPECT_NE(page->find("Level 2 by thread"), std::string::npos);
  // Tables have the number and the name of a thread in columns of their own. There are 24 bars, of
  // which one is for all threads.
  EXPECT_NE(page->find("worker 5000"), std::string::npos);
  EXPECT_NE(page->find("worker 5022"), std::string::npos);
  EXPECT_EQ(page->find("worker 5023"), std::string::npos);
}

TEST(ProcessReport, DrawsNoBarsWithoutCounters) {
  ProcessProfile profile = MadeUpProfile(2);
  profile.metrics = {};
  for (ThreadProfile& thread : profile.threads) thread.metrics = {};
  const TemporaryDirectory out;
  ASSERT_TRUE(WriteProcessReport(profile, out.path()).ok());
  const auto page = ReadReportFile(out / "report.html");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->find("by thread"), std::string::npos);
  EXPECT_NE(page->find("worker"), std::string::npos);
}

}  // namespace process_report_test
}  // namespace pmdex
