// The parts of `pmdex compare` that compute: times, answers, advice, tables and JSON. No test reads
// a clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

#include "tests/engine/store/placement/placement_test_support.h"
#include "tests/support/reference_index.h"
#include "tests/support/run_program.h"
#include "tools/compare/answer_fingerprint.h"
#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_machine.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/comparing_tables.h"
#include "tools/compare/latency_summary.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/node_cpus.h"
#include "tools/compare/query_sets.h"
#include "tools/compare/timed_passes.h"

namespace pmdex {
namespace compare_values_test {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LatencySummary, HasMeanIntervalAndPercentiles) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 1; i <= 100; ++i) (i % 2 == 0 ? first : second).push_back(i);
  const LatencySummary summary = SummarizeLatencies({first, second});
  EXPECT_EQ(summary.runs, 100u);
  EXPECT_DOUBLE_EQ(summary.mean_us, 50.5);
  EXPECT_EQ(summary.p50_us, 50);
  EXPECT_EQ(summary.p95_us, 95);
  EXPECT_EQ(summary.p99_us, 99);
  EXPECT_EQ(summary.max_us, 100);
  // The means of the passes are 51 and 50: s = 0.7071, t(1) = 12.706.
  ASSERT_TRUE(summary.ci95_us.has_value());
  EXPECT_NEAR(*summary.ci95_us, 12.706 * 0.5, 1e-9);
}

TEST(LatencySummary, HasNoIntervalForOnePass) {
  const LatencySummary summary = SummarizeLatencies({{7}});
  EXPECT_EQ(summary.ci95_us, std::nullopt);
  EXPECT_EQ(summary.p99_us, 7);
}

TEST(StudentT975, FallsToTheNormalQuantile) {
  EXPECT_DOUBLE_EQ(StudentT975(4), 2.776);
  EXPECT_NEAR(StudentT975(31), 2.0395, 0.004);
  EXPECT_NEAR(StudentT975(1000), 1.962, 0.001);
}

TEST(TimedPasses, WarmUpIsNotCountedAndEachPassHasAllQueries) {
  std::atomic<size_t> calls = 0;
  std::atomic<int> seconds = 0;
  PassPlan plan;
  plan.queries = 3;
  plan.passes = 4;
  plan.least_pass_us = 0;
  const auto passes = RunPasses(
      plan,
      [&](size_t query) -> absl::StatusOr<double> {
        // The first run of each query would show in the times.
        return calls++ < 3 ? 1000.0 : static_cast<double>(query + 1);
      },
      [&] { return static_cast<double>(seconds++); });
  ASSERT_TRUE(passes.ok()) << passes.status();
  EXPECT_EQ(calls, 15u);
  EXPECT_EQ(passes->rounds, 1u);
  ASSERT_EQ(passes->times_us.size(), 4u);
  for (const auto& pass : passes->times_us) EXPECT_THAT(pass, ElementsAre(1, 2, 3));
  EXPECT_EQ(passes->wall_s, 1) << "from the first to the last reading of the timed part";
}

TEST(TimedPasses, ShortSetsAreRepeatedWithinAPass) {
  PassPlan plan;
  plan.queries = 2;
  plan.passes = 2;
  plan.threads = 3;
  plan.least_pass_us = 100;
  const auto passes = RunPasses(plan, [](size_t) -> absl::StatusOr<double> { return 10.0; });
  ASSERT_TRUE(passes.ok());
  EXPECT_EQ(passes->rounds, 5u);
  EXPECT_EQ(passes->times_us[1].size(), 10u);
}

TEST(TimedPasses, AnErrorEndsTheRun) {
  PassPlan plan;
  plan.queries = 2;
  EXPECT_EQ(RunPasses(plan, [](size_t) -> absl::StatusOr<double> { return DataLoss("gone"); })
                .status()
                .code(),
            absl::StatusCode::kDataLoss);
}

SearchResult ResultOf(const std::vector<Hit>& hits, bool exact = false) {
  SearchResult result;
  result.hits = hits;
  result.total = hits.size();
  result.total_exact = exact;
  return result;
}

TEST(AnswerFingerprint, IgnoresTheOrderOfEqualScoresAndIdsThatMayBeCutOff) {
  const auto fingerprint = [](const std::vector<Hit>& hits) {
    return FingerprintOf(ResultOf(hits), 3);
  };
  const AnswerFingerprint base = fingerprint({{"a", 2}, {"b", 2}, {"c", 1}});
  EXPECT_EQ(base, fingerprint({{"b", 2}, {"a", 2}, {"c", 1}}));
  EXPECT_EQ(base, fingerprint({{"a", 2}, {"b", 2}, {"d", 1}})) << "d may tie with c";
  EXPECT_NE(base, fingerprint({{"a", 2}, {"e", 2}, {"c", 1}}));
  EXPECT_NE(base, fingerprint({{"a", 2}, {"b", 2}, {"c", std::nextafter(1.0F, 2.0F)}}));
  EXPECT_NE(fingerprint({{"a", 2}}), fingerprint({{"b", 2}})) << "a short list is whole";
  EXPECT_EQ(base.total, std::nullopt);
  EXPECT_EQ(FingerprintOf(ResultOf({{"a", 2}}, true), 3).total, 1u);
}

ComparedClass ClassOf(const std::string& name, double mean_us, uint64_t hits = 1) {
  ComparedClass one;
  one.name = name;
  one.queries = 1;
  one.runs = 5;
  one.qps = 1e6 / mean_us;
  one.mean_us = one.p50_us = one.p95_us = one.p99_us = one.max_us = mean_us;
  one.ci95_us = mean_us / 10;
  one.by_postings = {{1, 3, 1, mean_us, std::nullopt}};
  one.answers = {{hits, std::nullopt}};
  return one;
}

ComparedConfiguration ConfigurationOf(const std::string& tier, const std::string& mode,
                                      uint64_t bytes, double mean_us, uint64_t hits = 1) {
  ComparedConfiguration one;
  one.key.tier = tier;
  one.key.directory = "/pm";
  one.key.mode = mode;
  one.documents = 10;
  one.postings = 100;
  one.bytes = bytes;
  one.bytes_per_posting = static_cast<double>(bytes) / 100;
  one.build_s = 2.5;
  one.open_ms = 0.25;
  one.classes = {ClassOf("term", mean_us, hits), ClassOf("and", 4 * mean_us)};
  one.notes = {"a note"};
  return one;
}

TEST(CompareAdvice, TakesTheSmallestThatIsNearlyAsFast) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", "pruned", 900, 10),
                           ConfigurationOf("compressed", "pruned", 300, 10.9),
                           ConfigurationOf("compressed", "exhaustive", 1, 1)};
  EXPECT_EQ(AdviseOn(result).configuration, "compressed /pm pruned, 1 thread");
  result.configurations[1].classes[0].mean_us = 20;
  EXPECT_EQ(AdviseOn(result).configuration, "uncompressed /pm pruned, 1 thread");
  result.difference = AnswerDifference{};
  EXPECT_EQ(AdviseOn(result).configuration, "");
}

TEST(FirstDifference, NamesTheFirstQueryAndBothConfigurations) {
  const std::vector<QuerySet> sets = {{"and", {"a AND b"}}, {"term", {"a"}}};
  std::vector<ComparedConfiguration> configurations = {
      ConfigurationOf("uncompressed", "pruned", 9, 1),
      ConfigurationOf("compressed", "pruned", 3, 1)};
  EXPECT_EQ(FirstDifference(configurations, sets), std::nullopt);
  configurations[1].classes[0].answers[0].hits = 2;
  auto difference = FirstDifference(configurations, sets);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->query, "a");
  EXPECT_EQ(difference->what, "hits");
  EXPECT_EQ(difference->other, "compressed /pm pruned, 1 thread");
  configurations[1].key.scale = 4;
  EXPECT_EQ(FirstDifference(configurations, sets), std::nullopt) << "other documents";
}

TEST(FirstDifference, ComparesTotalsThatAreExactOnly) {
  const std::vector<QuerySet> sets = {{"term", {"a"}}};
  std::vector<ComparedConfiguration> configurations = {
      ConfigurationOf("uncompressed", "exhaustive", 9, 1),
      ConfigurationOf("uncompressed", "pruned", 9, 1)};
  configurations[0].classes[0].answers[0].total = 5;
  EXPECT_EQ(FirstDifference(configurations, sets), std::nullopt);
  configurations[1].classes[0].answers[0].total = 6;
  EXPECT_EQ(FirstDifference(configurations, sets)->what, "total");
}

TEST(CompareJson, ReadsBackWhatItWrote) {
  CompareState state;
  state.request = "r";
  state.sets = {{"term", {"a", "b"}}};
  state.made = {{"/pm/x", 1.5}, {"/pm/y", std::nullopt}};
  state.finished = {ConfigurationOf("uncompressed", "pruned", 900, 10)};
  state.finished[0].classes[0].answers[0].total = 7;
  state.finished[0].classes[0].counters = {{"ipc", 1.5, "ratio", "cycles"}};
  state.finished[0].classes[0].predicted = PredictedTime{"optane", 12, 0.1};
  state.finished[0].classes[0].cold_mean_us = 99;
  const auto read = StateFromJson(StateToJson(state), "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(StateToJson(*read), StateToJson(state));
  EXPECT_EQ(read->made, state.made);
  EXPECT_EQ(read->finished[0].classes[0].answers, state.finished[0].classes[0].answers);
  for (const char* broken :
       {"", "[]", "{}", R"({"request":1,"sets":{},"made":{},"finished":[]})"}) {
    EXPECT_EQ(StateFromJson(broken, "f").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(CompareJson, HasTheKeysOfTheInterfaceAndNoFingerprints) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", "pruned", 900, 10)};
  result.configurations[0].classes[1].ci95_us = std::nullopt;
  result.skipped = {{"compressed", "none"}};
  const json report = json::parse(CompareToJson(result));
  EXPECT_EQ(report["answers_agree"], true);
  EXPECT_EQ(report["skipped"][0]["why"], "none");
  const json& one = report["configurations"][0];
  for (const char* key :
       {"tier", "directory", "mode", "threads", "scale", "numa", "documents", "segments", "classes",
        "bytes", "bytes_per_posting", "build_s", "open_ms"}) {
    EXPECT_TRUE(one.contains(key)) << key;
  }
  const json& of = one["classes"][0];
  for (const char* key : {"class", "queries", "qps", "mean_us", "ci95_us", "p50_us", "p95_us",
                          "p99_us", "max_us", "by_postings"}) {
    EXPECT_TRUE(of.contains(key)) << key;
  }
  EXPECT_FALSE(of.contains("answers"));
  EXPECT_FALSE(of.contains("cold_mean_us")) << "not measured, so absent";
  EXPECT_FALSE(one["classes"][1].contains("ci95_us"));
  const auto beside = ConfigurationsFromJson(report.dump(), "f");
  ASSERT_TRUE(beside.ok());
  EXPECT_EQ((*beside)[0].classes[1].mean_us, 40);
}

TEST(CompareTables, SayOfWhatAnIndexConsists) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", "pruned", 900, 10),
                           ConfigurationOf("uncompressed", "exhaustive", 900, 10),
                           ConfigurationOf("compressed", "pruned", 300, 5)};
  EXPECT_TRUE(IndexPartTable(result).rows.empty());
  for (ComparedConfiguration& one : result.configurations) {
    one.tokens = 1234;
    one.terms = 56;
    one.part_bytes = {{"dictionary", 1 << 20}, {"postings", 2 << 20}, {"columns", 0}};
  }
  const auto again = ConfigurationsFromJson(CompareToJson(result), "f");
  ASSERT_TRUE(again.ok());
  result.configurations = *again;
  const ReportTable table = IndexPartTable(result);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0],
              ElementsAre("uncompressed", "/pm", "1", "1,234", "56", "1.0 MiB", "2.0 MiB"));
  EXPECT_EQ(table.columns.back().name, "postings") << "parts that no index has are left out";
}

TEST(CompareTables, SetOtherRunsBesideAndGiveRatios) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", "pruned", 900, 10),
                           ConfigurationOf("compressed", "pruned", 300, 5)};
  result.beside = {{"other", {ConfigurationOf("uncompressed", "pruned", 900, 30)}}};
  const ReportTable table = MeanTable(result, "pruned", 1);
  ASSERT_EQ(table.columns.size(), 6u);
  EXPECT_EQ(table.columns[4].name, "other: uncompressed /pm pruned, 1 thread");
  EXPECT_THAT(table.rows[0], ElementsAre("term", "10", "5", "0.50", "30", "3.00"));
  EXPECT_EQ(IndexTable(result).rows.size(), 2u);
  const std::string text = CompareToText(result);
  EXPECT_THAT(text, HasSubstr("10 ± 1"));
  EXPECT_THAT(text, HasSubstr("answers agree: yes"));
}

TEST(GrowthTables, HaveTheMeansOfEachClassByScale) {
  CompareResult result;
  result.configurations = {ConfigurationOf("uncompressed", "pruned", 900, 10),
                           ConfigurationOf("uncompressed", "pruned", 4096, 40)};
  CompareResult one;
  one.configurations = {result.configurations[0]};
  EXPECT_TRUE(GrowthTables(one, "pruned").empty());
  result.configurations[1].key.scale = 4;
  const auto tables = GrowthTables(result, "pruned");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].columns[2].name, "4: 4.0 KiB");
  EXPECT_THAT(tables[0].rows[0], ElementsAre("term", "10", "40", "4.00"));
  EXPECT_EQ(ComparingTables(result, "pruned").size(), 8u) << "and three for each scale";
  EXPECT_TRUE(GrowthTables(result, "exhaustive").empty());
}

TEST(NoteOnLoad, IsForABusyMachineOnly) {
  EXPECT_EQ(NoteOnLoad(1.9, 2), "");
  EXPECT_THAT(NoteOnLoad(3.0, 2), HasSubstr("3.0 threads wanted to run on 2 CPUs. Means"));
}

TEST(BucketsOf, AreTheMeansOfQueriesByPostings) {
  const BoundSet set = {"s", {"a", "b", "c"}, {5, 7, 2000}};
  TimedPasses passes;
  passes.times_us = {{1, 3, 50}, {1, 3, 70}};
  const auto buckets = BucketsOf(set, passes);
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].from, 3u);
  EXPECT_EQ(buckets[0].queries, 2u);
  EXPECT_EQ(buckets[0].mean_us, 2);
  EXPECT_EQ(buckets[1].mean_us, 60);
}

TEST(CpusOfNode, AreThoseOfTheIndexOrOfAnotherNode) {
  const std::vector<NumaNode> nodes = {{0, 0, 0, {0, 1}}, {1, 0, 0, {2, 3}}};
  EXPECT_THAT(*CpusOfNode("local", nodes, 1), ElementsAre(2, 3));
  EXPECT_THAT(*CpusOfNode("remote", nodes, 1), ElementsAre(0, 1));
  EXPECT_FALSE(CpusOfNode("local", nodes, 5).ok());
}

TEST(NodeOfMostBytes, CountsBytesAndNotSegments) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (int i = 0; i < 120; ++i) {
    const std::string id = std::to_string(i);
    reference.Add({id, {{"body", i < 100 ? "every word " + id : "few"}}});
  }
  const auto snapshot = reference.BuildSnapshot(50, true, false);
  ASSERT_EQ(snapshot->segments().size(), 3u);
  const auto id_of = [&](size_t i) { return snapshot->segments()[i]->segment_id(); };
  const std::vector<NumaNode> nodes = {{0, 0, 0, {0}}, {2, 0, 0, {}}};
  EXPECT_EQ(NodeOfMostBytes(*snapshot, {nodes, {{id_of(0), 2}, {id_of(1), 2}, {id_of(2), 0}}}), 2);
  EXPECT_EQ(NodeOfMostBytes(*snapshot, {nodes, {{id_of(0), 0}, {id_of(2), 2}}}), 0);
  EXPECT_EQ(NodeOfMostBytes(*snapshot, {nodes, {}}), std::nullopt);
}

// What the kernel says of pages on DAX, it says of pages that are not mapped: nothing.
TEST(NodeOfMostBytes, IsThatOfTheDeviceWhereTheKernelKnowsNoPages) {
  const TemporaryDirectory temporary;
  FileDirectoryOptions options;
  options.create = true;
  const auto directory = OpenFileDirectory(temporary / "index", options);
  ASSERT_TRUE(directory.ok()) << directory.status();
  BuildAt(**directory, OpenMode::kCreate, {}, {"a"});
  const auto snapshot = Snapshot::Open(**directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const std::span<const std::byte> bytes = (*snapshot)->segments()[0]->view().bytes();
  void* const mapped = const_cast<std::byte*>(bytes.data());
  ASSERT_EQ(madvise(mapped, bytes.size(), MADV_DONTNEED), 0);
  struct stat facts = {};
  ASSERT_EQ(stat((temporary / "index").c_str(), &facts), 0);
  temporary.Write("root/sys/devices/region0/numa_node", "2\n");
  std::filesystem::create_directories(temporary / "root/sys/dev/block");
  std::filesystem::create_symlink(temporary / "root/sys/devices/region0",
                                  absl::StrCat(temporary / "root/sys/dev/block/",
                                               major(facts.st_dev), ":", minor(facts.st_dev)));
  const std::vector<NumaNode> nodes = {{0, 0, 0, {0}}, {2, 0, 0, {}}};
  const SegmentNodes where =
      SegmentNodes::Of(**snapshot, temporary / "index", nodes, temporary / "root");
  EXPECT_EQ(NodeOfMostBytes(**snapshot, where), 2);
}

// 5,000 documents: "every" is in all, "tenth" and "again" in 10 %, "hundredth" in 1 %, "seldom" in
// 8 documents, "once" in one.
TEST(QuerySets, AreMadeByDocumentFrequencyAlikeForAnySegments) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (size_t i = 0; i < 5000; ++i) {
    std::string text = "every";
    if (i % 10 == 0) text += " tenth again";
    if (i % 100 == 0) text += " hundredth";
    if (i % 625 == 0) text += " seldom";
    if (i == 5) text += " once";
    reference.Add({std::to_string(i), {{"body", text}}});
  }
  const auto sets = MakeQuerySets(*reference.BuildSnapshot(5000, true, false), 10);
  const auto same = MakeQuerySets(*reference.BuildSnapshot(650, true, false), 10);
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_TRUE(same.ok()) << same.status();
  std::vector<std::string> names;
  for (size_t i = 0; i < sets->size(); ++i) {
    names.push_back((*sets)[i].name);
    EXPECT_EQ((*sets)[i].queries, (*same)[i].queries) << (*sets)[i].name;
  }
  EXPECT_THAT(names,
              ElementsAre("single-frequent", "single-medium", "single-rare", "and-two-frequent",
                          "and-frequent-medium", "and-frequent-rare", "and-medium-rare"));
  EXPECT_THAT((*sets)[0].queries, testing::UnorderedElementsAre("every", "tenth", "again"));
  EXPECT_THAT((*sets)[1].queries, ElementsAre("hundredth"));
  EXPECT_THAT((*sets)[2].queries, ElementsAre("seldom"));
}

}  // namespace compare_values_test
}  // namespace pmdex
