// A fake source of counts drives the passes over a real index.
#include "tools/profile/profile_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "tests/support/run_program.h"
#include "tests/tools/counters/counts_of_table.h"
#include "tools/profile/address_names.h"
#include "tools/profile/code_phases.h"
#include "tools/profile/profile_output.h"
#include "tools/profile/query_counts.h"
#include "tools/profile/sampled_pass.h"

namespace pmdex {
namespace profile_run_test {

using nlohmann::json;
using testing::HasSubstr;

// Each read counts 100 times the place of the event in its group, so that a run has 100, 200, ...
class FakeCounters : public OpenCounters {
 public:
  explicit FakeCounters(size_t events) : events_(events) {}
  absl::StatusOr<CounterReading> Read() override {
    ++reads_;
    CounterReading reading{reads_ * 1000, reads_ * 1000, {}};
    for (size_t i = 0; i < events_; ++i) reading.counts.push_back(reads_ * 100 * (i + 1));
    return reading;
  }

 private:
  const size_t events_;
  uint64_t reads_ = 0;
};

class FakeSource : public CounterSource {
 public:
  absl::StatusOr<std::unique_ptr<OpenCounters>> Open(
      std::span<const CounterEvent> events) override {
    for (const CounterEvent& event : events) {
      if (event.name == refused) return InvalidArgument("refused on purpose");
    }
    return std::make_unique<FakeCounters>(events.size());
  }
  std::string_view refused;
};

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_.Write("docs/a.txt", "quick brown fox\n");
    directory_.Write("docs/b.txt", "quick start\n");
    directory_.Write("q.txt", "quick\nquick AND fox\n\n\"quick brown\"\nabsent\n");
    ASSERT_EQ(Run({"index", "docs", "--quiet"}).exit_status, 0);
  }
  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  std::shared_ptr<const Snapshot> Open() {
    auto directory = OpenFileDirectory(directory_ / "pmdex-index", {});
    return *Snapshot::Open(**directory);
  }
  TemporaryDirectory directory_;
};

TEST_F(ProfileTest, CountsQueriesByClassAndByPostings) {
  const auto snapshot = Open();
  const auto lines = ReadQueryLines(directory_ / "q.txt");
  ASSERT_TRUE(lines.ok());
  const auto described = DescribeQueries(*lines, *snapshot, false);
  ASSERT_TRUE(described.ok());
  std::vector<std::string> classes;
  std::vector<uint64_t> postings;
  for (const ProfileQuery& query : described->queries) {
    classes.push_back(query.query_class);
    postings.push_back(query.postings);
  }
  EXPECT_THAT(classes, testing::ElementsAre("term", "and-2", "phrase-2", "none"));
  EXPECT_THAT(postings, testing::ElementsAre(2, 3, 3, 0));
  const Searcher searcher(snapshot);
  FakeSource source;
  ProfileRunOptions options;
  options.sample_rate_hz = 0;
  const auto result =
      ProfileQueries(searcher, described->queries, ArchitecturalTable(), source, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(MetricOf(result->metrics, "ipc"), 2) << "the second event counts twice the first";
  EXPECT_EQ(MetricOf(result->metrics, "page_faults_per_query"), std::nullopt);
  EXPECT_EQ(MetricOf(result->metrics, "user_us"), std::nullopt) << "too short for the clock";
  EXPECT_EQ(result->classes.size(), 4u);
  EXPECT_EQ(result->buckets.size(), 3u);
  EXPECT_TRUE(result->phases.empty());
}

TEST_F(ProfileTest, LeavesOutAGroupThatIsRefusedAndSaysSo) {
  const Searcher searcher(Open());
  FakeSource source;
  source.refused = "cache_misses";
  ProfileRunOptions options;
  options.sample_rate_hz = 0;
  options.threads = 2;
  const auto result =
      ProfileQueries(searcher, {{"quick", "term", "p", 2}}, ArchitecturalTable(), source, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(MetricOf(result->metrics, "cache_misses_per_1000"), std::nullopt);
  EXPECT_NE(MetricOf(result->metrics, "branch_misses_per_1000"), std::nullopt);
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("refused on purpose")));
}

TEST_F(ProfileTest, CommandReportsWhatItMeasured) {
  const ProgramResult run = Run({"profile", "--queries", "q.txt", "--json", "--out", "report",
                                 "--modes", "pruned,exhaustive"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report["machine"]["pmu"], report["source"] == "hardware");
  EXPECT_EQ(report["machine"].contains("why_not"), report["source"] == "software");
  ASSERT_EQ(report["configurations"].size(), 2u);
  for (const json& configuration : report["configurations"]) {
    EXPECT_EQ(configuration["queries"], 4);
    EXPECT_EQ(configuration["documents"], 2);
    EXPECT_GT(configuration["metrics"]["time_us"]["value"], 0);
    for (const auto& [name, metric] : configuration["metrics"].items()) {
      EXPECT_TRUE(metric["value"].is_number()) << name;
    }
  }
  for (const char* file : {"report/profile.json", "report/profile.html"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_ / file)) << file;
  }
  EXPECT_THAT(Run({"profile", "--queries", "q.txt"}).out, HasSubstr("By class"));
}

TEST_F(ProfileTest, CommandRefusesQueriesThatItCannotRead) {
  EXPECT_EQ(Run({"profile", "--queries", "missing.txt"}).exit_status, 1);
  EXPECT_EQ(Run({"profile", "--queries", "-"}).exit_status, 2);
  EXPECT_EQ(Run({"profile"}).exit_status, 2);
  directory_.Write("bad.txt", "(\n");
  EXPECT_EQ(Run({"profile", "--queries", "bad.txt"}).exit_status, 2);
}

TEST(RangeOfPostings, IsAHalfDecade) {
  EXPECT_EQ(RangeOfPostings(0), (PostingRange{0, 1}));
  EXPECT_EQ(RangeOfPostings(2), (PostingRange{1, 3}));
  EXPECT_EQ(RangeOfPostings(3), (PostingRange{3, 10}));
  EXPECT_EQ(RangeOfPostings(100), (PostingRange{100, 300}));
}

TEST(TotalsOf, CountEachQueryOnceHoweverOftenItRan) {
  QueryCounts often{{{10, 1000, 1000, {5}}}, 8};
  QueryCounts once{{{1, 100, 100, {2}}}, 2};
  const CounterTotals totals = TotalsOf({often, once});
  EXPECT_EQ(totals.queries, 2u);
  EXPECT_EQ(totals.groups[0].runs, 2u);
  EXPECT_DOUBLE_EQ(totals.groups[0].counts[0], 2.5);
  EXPECT_DOUBLE_EQ(totals.others.at("wall_ns"), 10);
}

TEST(CodePhases, AreToldByTheFunction) {
  EXPECT_EQ(PhaseOfFunction("pmdex::CandidateBatch::ScoreLeaf"), "scoring");
  EXPECT_EQ(PhaseOfFunction("pmdex::TermDictionary::Find"), "dictionary");
  EXPECT_EQ(PhaseOfFunction("memcpy"), "other");
}

TEST(AddressNames, FindsFunctionsOfThisProcess) {
  const auto names = AddressNames::OfProcess("self");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(names->NameAt(reinterpret_cast<uint64_t>(&RangeOfPostings)), "pmdex::RangeOfPostings");
  EXPECT_EQ(names->NameAt(1), "[unknown]");
}

TEST(AddressNames, SkipsBrokenMappingsAndFiles) {
  EXPECT_TRUE(FunctionTable::Of("no ELF file").empty());
  const AddressNames names("garbage\n1000-2000 r-xp 00000000 00:00 0 /bin/x\n", {});
  EXPECT_EQ(names.NameAt(0x1800), "[x]");
  EXPECT_EQ(names.NameAt(0x2000), "[unknown]");
}

TEST(ShortFunctionName, HasNoParametersAndTemplateArguments) {
  EXPECT_EQ(ShortFunctionName("void pmdex::(anonymous namespace)::A<int>::B(char const*) const"),
            "pmdex::A::B");
}

TEST(SampledPass, SharesSamplesAmongPhases) {
  ProfiledConfiguration result;
  AddSamples({{1, 0x1800}, {1, 0x1900}, {1, 5}},
             AddressNames("1000-2000 r-xp 00000000 00:00 0 /bin/TopK\n", {}), result);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[0].name, "top k");
  EXPECT_EQ(result.phases[0].samples, 2u);
  EXPECT_EQ(result.phases[1].name, "other");
}

}  // namespace profile_run_test
}  // namespace pmdex
