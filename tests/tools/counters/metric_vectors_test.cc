// Each table against vectors of its own files: counts of events, and what pmu-tools or Linux
// compute from them (vectors/make has made these files and says how); and against what perf has
// counted and printed on real CPUs (recorded/). Names there are those of the source.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"

#include "tests/tools/counters/counts_of_table.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace metric_vectors_test {

using nlohmann::json;

// On these two, the DRAM bound of pmu-tools has persistent memory in it. On Cascade Lake it has
// not.
bool HasAllMemoryInDramBound(const EventTable& table) {
  return table.name == "ice-lake" || table.name == "sapphire-rapids";
}

// The name that we have for a metric of pmu-tools or of Linux.
std::string OurMetric(const EventTable& table, const std::string& name) {
  static const std::map<std::string, std::string> ours = {
      {"Frontend_Bound", "frontend_bound"},
      {"Bad_Speculation", "bad_speculation"},
      {"Retiring", "retiring"},
      {"Backend_Bound", "backend_bound"},
      {"Memory_Bound", "memory_bound"},
      {"Core_Bound", "core_bound"},
      {"Branch_Mispredicts", "branch_mispredicts"},
      {"Machine_Clears", "machine_clears"},
      {"L1_Bound", "l1_bound"},
      {"L2_Bound", "l2_bound"},
      {"L3_Bound", "l3_bound"},
      {"DRAM_Bound", "dram_bound"},
      {"CXL_Mem_Bound", "pm_bound"},
      {"MEM_Bound_Ratio", "external_memory_bound"},
      {"Store_Bound", "store_bound"},
      {"MEM_Bandwidth", "memory_bandwidth_bound"},
      {"MEM_Latency", "memory_latency_bound"},
      {"Metric_MLP", "memory_level_parallelism"},
      {"Metric_Load_Miss_Real_Latency", "load_miss_latency"},
      {"Metric_IPC", "ipc"},
      {"total_dispatch_slots", "slots"},
      {"smt_contention", "smt_contention_share"},
      {"frontend_bound_latency", "frontend_latency"},
      {"frontend_bound_by_latency", "frontend_latency"},
      {"frontend_bound_bandwidth", "frontend_bandwidth"},
      {"frontend_bound_by_bandwidth", "frontend_bandwidth"},
      {"bad_speculation_mispredicts", "branch_mispredicts"},
      {"bad_speculation_from_mispredicts", "branch_mispredicts"},
      {"bad_speculation_pipeline_restarts", "pipeline_restarts"},
      {"bad_speculation_from_pipeline_restarts", "pipeline_restarts"},
      {"retiring_from_fastpath", "retiring_fastpath"},
      {"retiring_from_microcode", "retiring_microcode"},
      {"tma_fetch_latency", "frontend_latency"},
      {"tma_fetch_bandwidth", "frontend_bandwidth"},
      {"tma_pmm_bound", "pm_bound"},
      {"tma_load_stlb_miss", "load_page_walks"},
      {"backend_bound_memory", "memory_bound"},
      {"backend_bound_by_memory", "memory_bound"},
      {"backend_bound_cpu", "core_bound"},
      {"backend_bound_by_cpu", "core_bound"}};
  if (name == "DRAM_Bound" && HasAllMemoryInDramBound(table)) return "external_memory_bound";
  const auto found = ours.find(name);
  if (found != ours.end()) return found->second;
  return name.starts_with("tma_") ? name.substr(4) : name;
}

// The name that pmu-tools has for the event of a row. The tables name the events of general
// counters, pmu-tools those of fixed ones.
std::string TheirEvent(std::string_view source) {
  static const std::map<std::string, std::string> theirs = {
      {"INST_RETIRED.ANY_P", "INST_RETIRED.ANY"},
      {"TOPDOWN.SLOTS_P", "TOPDOWN.SLOTS"},
      {"OFFCORE_REQUESTS_OUTSTANDING.DATA_RD:c4", "OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD:c4"}};
  const std::string name = absl::StrReplaceAll(std::string(source), {{", cmask ", ":c"}});
  const auto found = theirs.find(name);
  return found == theirs.end() ? name : found->second;
}

std::map<std::string_view, double> CountsOf(const EventTable& table, const json& counts) {
  std::map<std::string_view, double> values;
  for (const CounterEvent& event : table.events) {
    const auto found = counts.find(TheirEvent(event.source));
    if (found != counts.end()) values[event.name] = found->get<double>();
  }
  return values;
}

// Compares every metric that the table and the vector have; returns how many. rounded: how far
// expected values may be off.
int CompareVector(const EventTable& table, const json& vector, double rounded) {
  const auto counts = CountsOf(table, vector["counts"]);
  const auto metrics = ComputeMetrics(table, CountsOfTable(table, 1, counts));
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  if (!metrics.ok()) return 0;
  int compared = 0;
  for (const auto& [name, expected] : vector["expected"].items()) {
    const std::string ours = OurMetric(table, name);
    if (table.FindMetric(ours) == nullptr) continue;
    const MetricValue* found = metrics->Find(ours);
    EXPECT_NE(found, nullptr) << name << " is missing or inconsistent";
    if (found == nullptr) continue;
    const double value = expected.get<double>();
    EXPECT_NEAR(found->value, value, rounded + 1e-9 * std::max(1.0, std::abs(value))) << name;
    ++compared;
  }
  return compared;
}

// Of a folder beside this file; null if there is none.
json FileOf(const std::string& folder, const std::string& name) {
  std::ifstream file(std::string(PMDEX_SOURCE_DIR "/tests/tools/counters/") + folder + "/" + name +
                     ".json");
  return json::parse(file, nullptr, /*allow_exceptions=*/false);
}

class MetricVectors : public testing::TestWithParam<const EventTable*> {
 protected:
  void Compare(const std::string& name, int least) {
    const EventTable& table = *GetParam();
    const json document = FileOf("vectors", name);
    ASSERT_TRUE(document.is_object()) << name;
    EXPECT_EQ(document["table"], table.name);
    ASSERT_EQ(document["vectors"].size(), 8u);
    for (const json& vector : document["vectors"]) {
      SCOPED_TRACE(vector["counts"].dump());
      EXPECT_GE(CompareVector(table, vector, /*rounded=*/0), least);
    }
  }
};

TEST_P(MetricVectors, AgreeWithTheTable) {
  const std::string name(GetParam()->name);
  const bool is_amd = name.starts_with("zen");
  Compare(name, is_amd ? 14 : 16);
  if (!is_amd) Compare(name + "-linux", 18);
  Compare(name + "-ratios", is_amd ? 11 : 6);
}

// What is in no vector is a count by itself, or a part of formulas that are in vectors.
TEST_P(MetricVectors, LeaveOutNoOtherRows) {
  const std::set<std::string_view> left_out = {
      "cycles_per_query",     "instructions_per_query", "slots",
      "l2_hits_with_buffers", "dram_share_of_misses",   "microcode"};
  const EventTable& table = *GetParam();
  std::set<std::string> compared;
  for (const char* of : {"", "-linux", "-ratios"}) {
    const json document = FileOf("vectors", std::string(table.name) + of);
    if (!document.is_object()) continue;
    for (const auto& [name, value] : document["vectors"][0]["expected"].items()) {
      compared.insert(OurMetric(table, name));
    }
  }
  for (const MetricRow& row : table.metrics) {
    EXPECT_TRUE(compared.contains(std::string(row.name)) || left_out.contains(row.name))
        << row.name << " is in no vector of " << table.name;
  }
}

TEST_P(MetricVectors, AgreeWithWhatPerfPrintedOnTheCpu) {
  const EventTable& table = *GetParam();
  const json document = FileOf("recorded", std::string(table.name));
  if (!document.is_object()) GTEST_SKIP() << "nothing was recorded on such a CPU";
  const double rounded = document["rounded_to"].get<double>();
  EXPECT_EQ(
      CompareVector(table, {{"counts", document["counts"]}, {"expected", document["printed"]}},
                    rounded),
      static_cast<int>(document["printed"].size()));
}

INSTANTIATE_TEST_SUITE_P(EveryTable, MetricVectors,
                         testing::Values(&SkylakeTable(), &CascadeLakeTable(), &IceLakeTable(),
                                         &SapphireRapidsTable(), &Zen4Table(), &Zen5Table()),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : info.param->name) {
                             if (c != '-') name += c;
                           }
                           return name;
                         });

}  // namespace metric_vectors_test
}  // namespace pmdex
