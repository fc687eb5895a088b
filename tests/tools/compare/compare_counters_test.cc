// `pmdex compare --counters`: what classes cost, put together over classes, configurations, sizes
// and threads, with a made-up PMU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/reference_index.h"
#include "tests/support/run_program.h"
#include "tests/tools/profile/fake_counters.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_report.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/comparing_tables.h"
#include "tools/compare/counters/counted_class.h"
#include "tools/compare/counters/counter_plots.h"
#include "tools/compare/counters/counter_totals.h"
#include "tools/compare/plot_parts.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace compare_counters_test {

using testing::ElementsAre;
using testing::HasSubstr;

// A class whose queries take so many cycles, of which the share `waiting` waits for memory.
ComparedClass Counted(const std::string& name, uint64_t queries, double cycles, double waiting) {
  ComparedClass one;
  one.name = name;
  one.queries = queries;
  one.mean_us = one.p50_us = one.p99_us = cycles / 1000;
  one.by_postings = {{10, 30, queries, one.mean_us, 2 * cycles}};
  one.counters = {{"time_us", cycles / 1000, "us per query", "a clock"},
                  {"cycles_per_query", cycles, "per query", "made up"},
                  {"instructions_per_query", 2 * cycles, "per query", "made up"},
                  {"ipc", 2, "instructions per cycle", "made up"},
                  {"retiring", 1 - waiting, "share of slots", "made up"},
                  {"backend_bound", waiting, "share of slots", "made up"},
                  {"dram_bound", waiting, "share of cycles", "made up"},
                  {"external_memory_bound", waiting, "share of cycles", "made up"},
                  {"llc_misses_per_1000", 10 * waiting, "per 1,000 instructions", "made up"},
                  {"load_miss_latency", 300, "cycles", "made up"}};
  return one;
}

ComparedConfiguration ConfigurationOf(const std::string& tier, uint64_t scale, uint64_t threads,
                                      double waiting) {
  ComparedConfiguration one;
  one.key.tier = tier;
  one.key.directory = "/pm";
  one.key.mode = "pruned";
  one.key.scale = scale;
  one.key.threads = threads;
  one.postings = 100 * scale;
  one.classes = {Counted("term", 10, 1000 / (1 - waiting), waiting),
                 Counted("and", 30, 1000 / (1 - waiting), waiting)};
  return one;
}

TEST(CountersOfAll, WeightClassesByWhatTheirValuesAreSharesOf) {
  ComparedConfiguration one;
  one.classes = {Counted("term", 10, 1000, 0), Counted("and", 30, 3000, 0.5)};
  const std::vector<CounterValue> all = CountersOfAll(one);
  EXPECT_DOUBLE_EQ(*CounterOf(all, "cycles_per_query"), 2500);
  EXPECT_DOUBLE_EQ(*CounterOf(all, "backend_bound"), 0.5 * 90'000 / 100'000);
  EXPECT_DOUBLE_EQ(*CounterOf(all, "llc_misses_per_1000"), 5 * 180'000.0 / 200'000);
  EXPECT_DOUBLE_EQ(*CounterOf(all, "ipc"), 2);
  EXPECT_EQ(CounterOf(all, "load_miss_latency"), std::nullopt) << "misses are not known";
  one.classes[1].counters.clear();
  EXPECT_TRUE(CountersOfAll(one).empty());
  EXPECT_TRUE(CountersOfAll(ComparedConfiguration()).empty());
}

TEST(CounterDifferences, NameTheNodeThatExplainsTheTime) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", 1, 1, 0.2),
                           ConfigurationOf("compressed", 1, 1, 0.6),
                           ConfigurationOf("uncompressed", 4, 1, 0.8)};
  const ReportTable differences = CounterDifferences(result);
  ASSERT_EQ(differences.rows.size(), 2u) << "the other tier, and the other size";
  EXPECT_EQ(differences.rows[0][0], "compressed /pm pruned, 1 thread");
  EXPECT_EQ(differences.rows[0][1], "uncompressed /pm pruned, 1 thread");
  EXPECT_THAT(differences.rows[0][2],
              HasSubstr("bound changed most: cycles of a query, 1,250 more"));
  EXPECT_THAT(CompareToText(result),
              HasSubstr("bound changed most: cycles of a query, 1,250 more"));
  result.configurations[1].classes[0].counters.clear();
  EXPECT_EQ(CounterDifferences(result).rows.size(), 1u);
}

TEST(CounterTable, HasARowForEachClassAndOneForAll) {
  const ReportTable table = CounterTable(ConfigurationOf("compressed", 1, 1, 0.5));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][0], "term");
  EXPECT_THAT(table.rows[2],
              ElementsAre("all", "40", "2", "4,000", "2", "0.500", "0.500", "0.500", "0.500", "5"));
  ComparedConfiguration none;
  none.classes.emplace_back();
  EXPECT_TRUE(CounterTable(none).rows.empty());
}

std::set<std::string> NamesOf(const std::vector<Plot>& plots) {
  std::set<std::string> names;
  for (const Plot& plot : plots) {
    EXPECT_TRUE(IsPlotName(NameOf(plot))) << NameOf(plot);
    EXPECT_TRUE(names.insert(NameOf(plot)).second) << NameOf(plot) << " twice";
  }
  return names;
}

TEST(CounterPlots, AreTheFiguresOfTheStudy) {
  CompareResult result;
  for (const uint64_t scale : {1, 4, 16}) {
    for (const char* tier : {"uncompressed", "compressed"}) {
      for (const uint64_t threads : {1, 2}) {
        result.configurations.push_back(ConfigurationOf(tier, scale, threads, 0.5));
      }
    }
  }
  const auto plots = CounterPlots(result);
  const auto names = NamesOf(plots);
  for (const char* name :
       {"level1-pruned", "level1-pruned-1", "level1-pruned-2", "memory-pruned",
        "counted-llc-misses-per-1000-pruned", "counted-external-memory-bound-pruned",
        "instructions-pruned", "level1-scale-pruned", "level1-threads-pruned",
        "size-external-memory-bound-pruned-compressed",
        "size-load-miss-latency-pruned-uncompressed",
        "size-llc-misses-per-1000-pruned-uncompressed"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  const auto& bars = std::get<BarPlot>(plots[0]);
  EXPECT_THAT(bars.categories, ElementsAre("uncompressed /pm", "compressed /pm"));
  EXPECT_EQ(bars.series.size(), 2u) << "only what was measured";
  EXPECT_TRUE(CounterPlots(CompareResult()).empty());
}

TEST(CompareReport, ShowsCountersInTheirOwnSection) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", 1, 1, 0.2),
                           ConfigurationOf("compressed", 1, 1, 0.6)};
  const TemporaryDirectory out;
  const std::string report = ReportDirectory(out, "comparison");
  ASSERT_TRUE(WriteComparison(result, report).ok());
  const auto page = ReadReportFile(report + "/report.html");
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("Where the cycles go"));
  EXPECT_THAT(*page, HasSubstr("bound changed most: cycles of a query, 1,250 more"));
  EXPECT_THAT(*page, HasSubstr("Counters: compressed /pm pruned, 1 thread"));
  const auto again = ConfigurationsFromJson(CompareToJson(result), "f");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)[1].classes[0].by_postings[0].instructions, 5000);
  EXPECT_EQ(CountersOfAll((*again)[1]).size(), CountersOfAll(result.configurations[1]).size());
}

class CountClassTest : public testing::Test {
 protected:
  CountClassTest() : reference_(AnalyzerKind::kStandard) {
    for (int i = 0; i < 100; ++i) {
      reference_.Add({std::to_string(i), {{"body", i % 2 == 0 ? "half all" : "all"}}});
    }
    snapshot_ = reference_.BuildSnapshot(100, true, false);
    searcher_ = std::make_unique<Searcher>(snapshot_);
  }
  ClassCounts Count(const ProfileMachine& machine) {
    const BoundSet set = {"terms", {"half", "all"}, {50, 100}};
    ConfigurationKey key;
    key.mode = "pruned";
    auto counts = CountClass(*searcher_, set, key, {}, machine);
    EXPECT_TRUE(counts.ok()) << counts.status();
    return counts.ok() ? *std::move(counts) : ClassCounts();
  }
  ReferenceIndex reference_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<Searcher> searcher_;
};

TEST_F(CountClassTest, TakesHardwareAndSoftwareEventsAndInstructionsByPostings) {
  FakeCounterSource source;
  const ClassCounts counts = Count(Zen4Machine(source));
  EXPECT_NEAR(*CounterOf(counts.counters, "retiring"), 0.45, 1e-9);
  EXPECT_TRUE(CounterOf(counts.counters, "time_us").has_value());
  EXPECT_TRUE(counts.notes.empty()) << counts.notes[0];
  ASSERT_EQ(counts.instructions.size(), 2u) << "30 to 99, and 100 to 299";
  ComparedClass one;
  one.by_postings = {{30, 100, 1, 1, std::nullopt}, {300, 1000, 1, 1, std::nullopt}};
  SetCounts(counts, one);
  EXPECT_TRUE(one.by_postings[0].instructions.has_value());
  EXPECT_FALSE(one.by_postings[1].instructions.has_value());
}

TEST_F(CountClassTest, NotesWhatIsInconsistent) {
  FakeCounterSource source;
  source.extra_no_ops = 1'000'000;
  const ClassCounts counts = Count(Zen4Machine(source));
  EXPECT_EQ(CounterOf(counts.counters, "retiring"), std::nullopt);
  std::string notes;
  for (const std::string& note : counts.notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("terms: retiring is left out: the categories of level 1 add up"));
}

TEST_F(CountClassTest, TakesSoftwareEventsWithoutAPmu) {
  FakeCounterSource source;
  ProfileMachine machine = Zen4Machine(source);
  machine.pmu.cause = PmuCause::kHidden;
  const ClassCounts counts = Count(machine);
  EXPECT_TRUE(CounterOf(counts.counters, "task_clock_us").has_value());
  EXPECT_EQ(CounterOf(counts.counters, "ipc"), std::nullopt);
  EXPECT_TRUE(counts.instructions.empty());
}

}  // namespace compare_counters_test
}  // namespace pmdex
