#include "tools/profile/profile_session.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"
#include "tests/support/heap_counter.h"
#include "tests/tools/profile/fake_counters.h"
#include "tests/tools/profile/profiled_index.h"
#include "tools/child_process.h"
#include "tools/counters/perf_counters.h"
#include "tools/profile/profile_diff.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_report.h"
#include "tools/profile/profile_tables.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace profile_session_test {

using nlohmann::json;

class ProfileSessionTest : public testing::Test {
 protected:
  ProfileRequest Request() const {
    ProfileRequest request;
    request.indexes = {index_.index()};
    request.queries_file = index_.Queries(kQueryLines);
    request.passes = 1;
    request.sample_rate_hz = 0;
    request.touching.loads_of_all = 0;  // recording takes longer than all the rest
    return request;
  }
  ProfileResult Run(const ProfileRequest& request, const ProfileMachine& machine) const {
    auto result = RunProfile(request, machine);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ProfileResult();
  }

  ProfiledIndex index_;
};

TEST_F(ProfileSessionTest, GivesATopDownBreakdownFromAFakePmu) {
  FakeCounterSource source;
  const ProfileResult result = Run(Request(), Zen4Machine(source));
  EXPECT_EQ(result.source, "hardware");
  ASSERT_EQ(result.configurations.size(), 1u);
  const ProfiledConfiguration& configuration = result.configurations[0];
  ASSERT_NE(configuration.metrics.Find("retiring"), nullptr);
  EXPECT_NEAR(configuration.metrics.Find("retiring")->value, 0.45, 1e-9);
  EXPECT_NEAR(configuration.metrics.Find("backend_bound")->value, 1.0 / 3, 1e-6);
  EXPECT_NE(configuration.metrics.Find("time_us"), nullptr);
  EXPECT_TRUE(configuration.metrics.inconsistent.empty());
  EXPECT_EQ(configuration.queries, 10u);
  uint64_t in_buckets = 0;
  for (const QueryGroup& bucket : configuration.buckets) in_buckets += bucket.queries;
  EXPECT_EQ(in_buckets, 10u);
  EXPECT_NE(ProfileToText(result).find("hardware counters, by the table zen4"), std::string::npos);
}

TEST_F(ProfileSessionTest, WritesTheJsonThatScriptsRelyOn) {
  FakeCounterSource source;
  const json document = json::parse(ProfileToJson(Run(Request(), Zen4Machine(source))));
  EXPECT_EQ(document["source"], "hardware");
  EXPECT_EQ(document["machine"]["cpu"], "a made-up Zen 4");
  EXPECT_EQ(document["machine"]["table"], "zen4");
  EXPECT_EQ(document["machine"]["pmu"], true);
  EXPECT_TRUE(document["machine"]["why_not"].is_null());
  EXPECT_EQ(document["queries"], 10);
  EXPECT_TRUE(document["inconsistent"].empty());
  const json& retiring = document["metrics"]["retiring"];
  EXPECT_EQ(retiring["formula"], "retired_ops / slots");
  EXPECT_EQ(retiring["unit"], "share of slots");
  EXPECT_TRUE(retiring["value"].is_number() && retiring["source"].is_string());
  ASSERT_FALSE(document["buckets"].empty());
  for (const json& bucket : document["buckets"]) {
    EXPECT_LT(bucket["postings_from"], bucket["postings_to"]);
    EXPECT_TRUE(bucket["metrics"].contains("ipc"));
    EXPECT_EQ(bucket["reads"]["read_ns"], document["counter_read_ns"]);
    EXPECT_GE(bucket["reads"]["fewest_runs"], 1);
    EXPECT_GE(bucket["reads"]["most_runs"], bucket["reads"]["fewest_runs"]);
    EXPECT_GT(bucket["reads"]["share"], 0);
  }
  EXPECT_GT(document["reads"]["share"], 0);
  const auto count = [&](const char* event) {
    return document["counts"][event]["value"].get<double>();
  };
  EXPECT_NEAR(count("retired_ops") / count("cycles"), 2.7, 1e-9);
  EXPECT_EQ(document["counts"]["retired_ops"]["event"], "ex_ret_ops");
  EXPECT_EQ(document["configurations"].size(), 1u);
}

TEST_F(ProfileSessionTest, WritesWhatEachQueryCounted) {
  FakeCounterSource source;
  ProfileRequest request = Request();
  request.queries_file = index_.Queries("common OR half\nrare\n");
  for (const bool hardware : {true, false}) {
    ProfileMachine machine = Zen4Machine(source);
    if (!hardware) machine.pmu = {PmuCause::kHidden, "it is hidden", "show it"};
    const json document = json::parse(ProfileToJson(Run(request, machine)));
    const json& each = document["each_query"];
    ASSERT_EQ(each.size(), 2u) << hardware;
    EXPECT_EQ(each[0]["name"], "common OR half");
    EXPECT_EQ(each[1]["name"], "rare");
    double time_us = 0;
    for (const json& query : each) {
      EXPECT_EQ(query["queries"], 1);
      EXPECT_EQ(query["metrics"].contains("ipc"), hardware);
      EXPECT_TRUE(query["metrics"].contains("page_faults_per_query"));
      EXPECT_GE(query["reads"]["fewest_runs"], 1);
      EXPECT_EQ(query["reads"]["fewest_runs"], query["reads"]["most_runs"]);
      time_us += query["metrics"]["time_us"]["value"].get<double>();
    }
    EXPECT_NEAR(time_us / 2, document["metrics"]["time_us"]["value"], 1e-6 * time_us);
    EXPECT_EQ(document["configurations"][0]["each_query"], each);
  }
}

TEST_F(ProfileSessionTest, RecordsWhatQueriesTouchBySection) {
  FakeCounterSource source;
  ProfileRequest request = Request();
  request.queries_file = index_.Queries("common\n");
  request.touching = {};
  request.modes = {"exhaustive", "pruned"};
  const ProfileResult result = Run(request, Zen4Machine(source));
  ASSERT_EQ(result.configurations.size(), 2u);
  double bytes[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    const ProfiledConfiguration& configuration = result.configurations[i];
    EXPECT_EQ(configuration.touched_queries, 1u);
    for (const TouchedSection& one : configuration.touched) bytes[i] += one.bytes();
    EXPECT_LE(bytes[i], static_cast<double>(configuration.index_bytes));
  }
  EXPECT_GT(bytes[0], 3000) << "the length codes alone of 3,000 postings";
  EXPECT_LE(bytes[1], bytes[0]);
  const json document = json::parse(ProfileToJson(result));
  const json& touched = document["configurations"][0]["touched"];
  EXPECT_EQ(touched["queries"], 1);
  EXPECT_GT(touched["sections"][0]["bytes"], 0);
  EXPECT_NE(ProfileToText(result).find("Bytes of the index that a query touches"),
            std::string::npos);
}

TEST_F(ProfileSessionTest, ListsInconsistentMetricsApart) {
  FakeCounterSource source;
  source.extra_no_ops = 1'000'000;
  const ProfileResult result = Run(Request(), Zen4Machine(source));
  EXPECT_EQ(result.configurations[0].metrics.Find("retiring"), nullptr);
  const json document = json::parse(ProfileToJson(result));
  EXPECT_FALSE(document["metrics"].contains("retiring"));
  EXPECT_EQ(document["inconsistent"][0]["why"], "the categories of level 1 add up to 1.167");
  EXPECT_NE(ProfileToText(result).find("inconsistent"), std::string::npos);
}

TEST_F(ProfileSessionTest, PrintsNoMetricThatCombinesPassesOfDifferentCycles) {
  FakeCounterSource source;
  source.slow_event = "not_complete";
  const ProfileResult result = Run(Request(), Zen4Machine(source));
  const ProfiledConfiguration& configuration = result.configurations[0];
  EXPECT_NE(configuration.metrics.Find("retiring"), nullptr);
  EXPECT_EQ(configuration.metrics.Find("memory_bound"), nullptr);
  for (const QueryGroup& group : configuration.classes) {
    EXPECT_EQ(group.metrics.Find("memory_bound"), nullptr) << group.name;
    EXPECT_NE(group.metrics.Find("retiring"), nullptr) << group.name;
  }
  const std::string text = ProfileToText(result);
  EXPECT_NE(text.find("took 2.00 times the cycles of that of"), std::string::npos) << text;
}

TEST_F(ProfileSessionTest, LeavesOutGroupsThatCannotBeOpenedOrAreMultiplexed) {
  FakeCounterSource source;
  source.refused_event = "branches";
  source.multiplexed_event = "fill_near_dram";
  const ProfileResult result = Run(Request(), Zen4Machine(source));
  const ProfiledConfiguration& configuration = result.configurations[0];
  EXPECT_EQ(configuration.metrics.Find("branch_miss_share"), nullptr);
  EXPECT_EQ(configuration.metrics.Find("llc_misses_per_1000"), nullptr);
  EXPECT_NE(configuration.metrics.Find("retiring"), nullptr);
  std::string notes;
  for (const std::string& note : configuration.notes) notes += note + "\n";
  EXPECT_NE(notes.find("the group 'branches' was not counted"), std::string::npos) << notes;
  EXPECT_NE(notes.find("the group 'fills from memory' counted 50 %"), std::string::npos) << notes;
}

TEST_F(ProfileSessionTest, PrintsNoMetricOfEventsThatABrokenPmuLeavesAtZero) {
  FakeCounterSource source;
  source.only_common_events = true;
  const ProfileResult result = Run(Request(), SkylakeMachine(source));
  const MetricSet& metrics = result.configurations[0].metrics;
  for (const char* name : {"backend_bound", "retiring", "llc_misses_per_1000", "l3_bound",
                           "memory_level_parallelism"}) {
    EXPECT_EQ(metrics.Find(name), nullptr) << name;
  }
  EXPECT_TRUE(metrics.inconsistent.empty());
  ASSERT_NE(metrics.Find("ipc"), nullptr);
  EXPECT_NEAR(metrics.Find("ipc")->value, 1.5, 1e-9);
  EXPECT_NE(metrics.Find("branch_miss_share"), nullptr);
  EXPECT_EQ(result.configurations[0].classes[0].metrics.Find("llc_misses_per_1000"), nullptr);
  const json document = json::parse(ProfileToJson(result));
  EXPECT_EQ(document["source"], "hardware");
  EXPECT_EQ(document["machine"]["why_not"]["cause"], "broken");
  const std::string text = ProfileToText(result);
  EXPECT_NE(text.find("the group 'level 1' is broken: cycles count, but UOPS_ISSUED.ANY stays 0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Some hardware counters are left out: "), std::string::npos);
}

TEST_F(ProfileSessionTest, TakesPageFaultsFromTheKernelsUsageWherePerfIsRefused) {
  FakeCounterSource source;
  source.refused_event = "page_faults";
  ProfileMachine machine = Zen4Machine(source);
  machine.pmu = {PmuCause::kSeccomp, "a filter forbids it", "change the filter"};
  const ProfileResult result = Run(Request(), machine);
  const ProfiledConfiguration& configuration = result.configurations[0];
  for (const char* name : {"page_faults_per_query", "minor_faults_per_query",
                           "major_faults_per_query", "first_page_faults_per_query"}) {
    EXPECT_NE(configuration.metrics.Find(name), nullptr) << name;
  }
  EXPECT_EQ(configuration.classes[0].metrics.Find("page_faults_per_query"), nullptr);
  EXPECT_NE(ProfileToText(result).find("come from getrusage(RUSAGE_THREAD) instead"),
            std::string::npos);
}

TEST_F(ProfileSessionTest, ShowsLevel2AndTheLevelsOfMemoryOfEachGroup) {
  const auto has_column = [](const std::vector<QueryGroup>& groups, const std::string& title) {
    const ReportTable table = GroupTable("", "group", groups);
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const auto& column) { return column.name == title; });
  };
  FakeCounterSource source;
  const ProfileResult amd = Run(Request(), Zen4Machine(source));
  EXPECT_TRUE(has_column(amd.configurations[0].plans, "core"));
  EXPECT_TRUE(has_column(amd.configurations[0].buckets, "LLC misses per 1,000"));
  EXPECT_FALSE(has_column(amd.configurations[0].buckets, "L3"));
  const ProfileResult intel = Run(Request(), SkylakeMachine(source));
  EXPECT_TRUE(has_column(intel.configurations[0].buckets, "L3"));
  EXPECT_TRUE(has_column(intel.configurations[0].classes, "stores"));
}

TEST_F(ProfileSessionTest, SaysWhatSmtDoesToSharesOfSlots) {
  FakeCounterSource source;
  const auto says_it = [&](ProfileMachine machine, const char* smt) {
    machine.facts = {{"smt", smt}};
    const std::string text = ProfileToText(Run(Request(), machine));
    return text.find("hold only for a core by itself") != std::string::npos;
  };
  EXPECT_TRUE(says_it(SkylakeMachine(source), "on: two threads share the slots of a core"));
  EXPECT_FALSE(says_it(SkylakeMachine(source), "off"));
  EXPECT_FALSE(says_it(Zen4Machine(source), "on: two threads share the slots of a core"));
}

TEST_F(ProfileSessionTest, SaysThatItHasNoTableForACpu) {
  FakeCounterSource source;
  ProfileMachine machine = Zen4Machine(source);
  machine.cpu.family = 0x99;
  const ProfileResult result = Run(Request(), machine);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("no table for this CPU"), std::string::npos);
  EXPECT_NE(result.configurations[0].metrics.Find("ipc"), nullptr);
  EXPECT_EQ(result.configurations[0].metrics.Find("retiring"), nullptr);
}

TEST_F(ProfileSessionTest, FallsBackToSoftwareEventsWithTheReason) {
  PerfCounterSource source;
  ProfileMachine machine = Zen4Machine(source);
  machine.pmu = {PmuCause::kHidden, "the hypervisor hides it", "use another machine"};
  const ProfileResult result = Run(Request(), machine);
  EXPECT_EQ(result.source, "software");
  const json document = json::parse(ProfileToJson(result));
  EXPECT_EQ(document["machine"]["why_not"]["cause"], "hidden");
  EXPECT_EQ(document["machine"]["pmu"], false);
  EXPECT_FALSE(document["metrics"].contains("ipc"));
  EXPECT_GT(document["metrics"]["time_us"]["value"], 0);
  EXPECT_TRUE(document["metrics"].contains("first_page_faults_per_query"));
  EXPECT_GE(document["mapping"]["resident_bytes"], document["mapping"]["huge_page_bytes"]);
  EXPECT_GT(document["mapping"]["resident_bytes"], 0);
  EXPECT_NE(ProfileToText(result).find("the hypervisor hides it"), std::string::npos);
}

TEST_F(ProfileSessionTest, RunsEveryModeThreadCountAndIndex) {
  FakeCounterSource source;
  ProfileRequest request = Request();
  request.indexes.push_back(index_.index() + "/");
  request.modes = {"pruned", "exhaustive"};
  request.threads = {1, 2};
  const ProfileResult result = Run(request, Zen4Machine(source));
  ASSERT_EQ(result.configurations.size(), 8u);
  EXPECT_EQ(result.configurations[1].threads, 2u);
  EXPECT_EQ(result.configurations[2].mode, "exhaustive");
  EXPECT_NE(result.configurations[4].index, result.configurations[0].index);
  const TemporaryDirectory out;
  const std::string report = ReportDirectory(out, "profile");
  ASSERT_TRUE(WriteProfileReport(result, report).ok());
  const auto page = ReadReportFile(report + "/report.html");
  ASSERT_TRUE(page.ok());
  for (const char* title : {"Level 1 by configuration", "Level 1 by class", "Level 1 by plan",
                            "Level 1 by length of the posting lists", "Level 2 by class",
                            "Level 2 by length of the posting lists"}) {
    EXPECT_NE(page->find(title), std::string::npos) << title;
  }
  EXPECT_EQ(json::parse(ReadReportFile(report + "/report.json").value())["configurations"].size(),
            8u);
}

TEST_F(ProfileSessionTest, TellsWhichNodeExplainsADifference) {
  FakeCounterSource source;
  const ProfileResult before = Run(Request(), Zen4Machine(source));
  const TemporaryDirectory out;
  const std::string a = out.Write("a.json", ProfileToJson(before));
  json changed = json::parse(ProfileToJson(before));
  changed["metrics"]["cycles_per_query"]["value"] = 2'000'000;
  changed["metrics"]["memory_bound"]["value"] = 0.6;
  const std::string b = out.Write("b.json", changed.dump());
  const auto all_a = ReadSavedProfiles(a);
  const auto all_b = ReadSavedProfiles(b);
  ASSERT_TRUE(all_a.ok() && all_b.ok());
  ASSERT_EQ(all_a->size(), 1u);
  EXPECT_EQ((*all_a)[0].configuration, "pruned, 1 thread");
  const SavedProfile* const saved_a = all_a->data();
  const SavedProfile* const saved_b = all_b->data();
  const auto changes = ExplainDifference(*saved_a, *saved_b);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].node, "memory_bound");
  EXPECT_NE(DifferenceInWords(*saved_a, *saved_b).find("memory_bound changed most"),
            std::string::npos);
  EXPECT_EQ(DiffTable(*saved_a, *saved_b).rows.size(), saved_a->order.size());
  EXPECT_EQ(PartsOfDifference(*saved_a, *saved_b).rows[0][0], "memory_bound");
  EXPECT_FALSE(ReadSavedProfiles(out.Write("c.json", "{}")).ok());
  EXPECT_FALSE(ReadSavedProfiles(out.Write("d.json", "<html>")).ok());
}

TEST_F(ProfileSessionTest, ComparesConfigurationsOfTheSameModeAndThreads) {
  FakeCounterSource source;
  ProfileRequest request = Request();
  request.modes = {"pruned", "exhaustive"};
  const std::string both = ProfileToJson(Run(request, Zen4Machine(source)));
  request.modes = {"exhaustive"};
  const std::string one = ProfileToJson(Run(request, Zen4Machine(source)));
  const TemporaryDirectory out;
  const ProgramResult run = RunProgram(
      {PMDEX_BINARY, "profile", "--diff", out.Write("a", both), out.Write("b", one), "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json document = json::parse(run.out);
  ASSERT_EQ(document["configurations"].size(), 1u);
  EXPECT_EQ(document["configurations"][0]["configuration"], "exhaustive, 1 thread");
  EXPECT_TRUE(document["metrics"].contains("ipc"));
  const ProgramResult text = RunProgram({PMDEX_BINARY, "profile", "--diff", out / "a", out / "a"});
  EXPECT_NE(text.out.find("exhaustive, 1 thread"), std::string::npos) << text.out;
}

TEST_F(ProfileSessionTest, SamplesPhasesOfTheRealProgram) {
  const ProgramResult run = RunProgram({PMDEX_BINARY, "profile", "--index", index_.index(),
                                        "--queries", index_.Queries(kQueryLines), "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json document = json::parse(run.out);
  if (document["phases"].empty()) GTEST_SKIP() << document["notes"].dump();
  double sum = 0;
  for (const json& phase : document["phases"]) sum += phase["share"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_F(ProfileSessionTest, SimulatesQueriesWhereValgrindIsInstalled) {
  if (!RunChild({"valgrind", "--version"}).ok()) GTEST_SKIP() << "valgrind is not installed";
#if !PMDEX_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "valgrind cannot run a program with a sanitizer";
#endif
  const ProgramResult run =
      RunProgram({PMDEX_BINARY, "profile", "--index", index_.index(), "--queries",
                  index_.Queries("rare\ncommon OR half\n"), "--simulate", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json document = json::parse(run.out);
  EXPECT_EQ(document["source"], "simulated");
  EXPECT_EQ(document["queries"], 2);
  EXPECT_GT(document["metrics"]["instructions_per_query"]["value"], 1000);
  EXPECT_FALSE(document["metrics"].contains("time_us"));
  EXPECT_FALSE(document["phases"].empty());
  EXPECT_NE(document["kernels"], "avx512");
  ASSERT_EQ(document["each_query"].size(), 2u);
  EXPECT_EQ(document["each_query"][1]["name"], "common OR half");
  const auto instructions = [&](const json& group) {
    return group["metrics"]["instructions_per_query"]["value"].get<double>();
  };
  EXPECT_GT(instructions(document["each_query"][1]), instructions(document["each_query"][0]));
  double sum = 0;
  for (const json& bucket : document["buckets"]) {
    sum += instructions(bucket) * bucket["queries"].get<double>();
  }
  EXPECT_NEAR(sum / 2, instructions(document), 1e-6 * sum);
}

TEST_F(ProfileSessionTest, SaysWhatToInstallWhereThereIsNoValgrind) {
  ProgramOptions options;
  options.environment = {"PATH=" + index_.directory().path()};
  const ProgramResult run = RunProgram({PMDEX_BINARY, "profile", "--index", index_.index(),
                                        "--queries", index_.Queries("rare\n"), "--simulate"},
                                       options);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.err.find("apt-get install valgrind"), std::string::npos) << run.err;
}

TEST_F(ProfileSessionTest, RefusesFlagsThatASimulationDoesNotHave) {
  const std::string queries = index_.Queries("rare\n");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {PMDEX_BINARY, "profile", "--index",   index_.index(),
                                          "--queries",  queries,   "--simulate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProgramOptions options;  // without valgrind: what is not refused ends with status 1
    options.environment = {"PATH=" + index_.directory().path()};
    return RunProgram(arguments, options);
  };
  for (const char* threads : {"1,2", "2"}) {
    const ProgramResult refused = run({"--threads", threads});
    EXPECT_EQ(refused.exit_status, 2) << threads;
    EXPECT_NE(refused.err.find("on one thread"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run({"--threads", "1", "--nvme-io", "map"}).exit_status, 1);
  const ProgramResult direct = run({"--nvme-io", "direct"});
  EXPECT_EQ(direct.exit_status, 2);
  EXPECT_NE(direct.err.find("a mapped index"), std::string::npos) << direct.err;
  EXPECT_EQ(run({"--cache", "1M", "--nvme-io", "direct"}).exit_status, 2);
  EXPECT_EQ(run({"--cache", "1M"}).exit_status, 2);
  const ProgramResult passes = run({"--passes", "3"});
  EXPECT_EQ(passes.exit_status, 2);
  EXPECT_NE(passes.err.find("each query once"), std::string::npos) << passes.err;
}

TEST_F(ProfileSessionTest, ReportsWrongUsageAndMissingFiles) {
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PMDEX_BINARY, "profile"});
    return RunProgram(arguments);
  };
  EXPECT_EQ(run({"--index", index_.index()}).exit_status, 2);
  EXPECT_EQ(run({"--index", index_.index(), "--queries", "/none"}).exit_status, 1);
  EXPECT_EQ(run({"--index", "/none", "--queries", index_.Queries("a\n")}).exit_status, 1);
  EXPECT_EQ(run({"--queries", index_.Queries("a\n"), "--modes", "fast"}).exit_status, 2);
  EXPECT_EQ(run({"--diff", "/none"}).exit_status, 2);
  EXPECT_EQ(run({"--diff", "/none", "/none"}).exit_status, 1);
  const ProgramResult with_out = run({"--diff", "/none", "/none", "--out", "/none"});
  EXPECT_EQ(with_out.exit_status, 2);
  EXPECT_NE(with_out.err.find("--out cannot go with it"), std::string::npos) << with_out.err;
}

TEST(MachineFacts, AreReadBelowTheRoot) {
  const TemporaryDirectory root;
  EXPECT_TRUE(MachineFactsBelow(root.path() + "/", "GenuineIntel").empty());
  root.Write("sys/devices/system/cpu/smt/active", "1\n");
  root.Write("proc/sys/kernel/nmi_watchdog", "1\n");
  const auto facts = MachineFactsBelow(root.path() + "/", "GenuineIntel");
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].second, "on: two threads share the slots of a core");
  EXPECT_EQ(facts[1].second, "on: takes one counter");
}

// The device has a register's value at the offset that is the register's number.
std::string MsrWith(unsigned char bits) {
  return std::string(0x1a4, '\0') + static_cast<char>(bits) + std::string(7, '\0');
}

TEST(MachineFacts, SayWhichPrefetchersAreOff) {
  const TemporaryDirectory root;
  const auto state = [&root](const char* vendor) {
    const auto facts = MachineFactsBelow(root.path() + "/", vendor);
    return facts.empty() ? "" : facts.back().first + ": " + facts.back().second;
  };
  root.Write("dev/cpu/0/msr", MsrWith(0));
  EXPECT_EQ(state("GenuineIntel"), "prefetchers: all on");
  EXPECT_EQ(state("AuthenticAMD"), "") << "the register is Intel's";
  root.Write("dev/cpu/0/msr", MsrWith(0xf5));
  EXPECT_EQ(state("GenuineIntel"), "prefetchers: switched off by bits 0x5 of MSR 0x1a4");
  root.Write("dev/cpu/0/msr", std::string(0x1a4, '\0'));
  EXPECT_EQ(state("GenuineIntel"), "") << "it cannot be read";
}

}  // namespace profile_session_test
}  // namespace pmdex
