#include "tools/counters/intel_rows.h"

namespace pmdex {
namespace {

constexpr std::string_view kRatios = "pmu-tools *_server_ratios.py 5.1-full";
constexpr std::string_view kPlain = "ratio of the events";
constexpr auto kRaw = EventType::kRaw;

}  // namespace

std::vector<CounterEvent> IntelCommonEvents(bool without_pmm) {
  std::vector<CounterEvent> events = {
      {"cycles", kRaw, 0x003c, "CPU_CLK_UNHALTED.THREAD"},
      {"instructions", kRaw, 0x00c0, "INST_RETIRED.ANY_P", true},
      {"branches", kRaw, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"},
      {"branch_misses", kRaw, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"},
      {"l1_miss", kRaw, 0x08d1, "MEM_LOAD_RETIRED.L1_MISS"},
      {"l2_hit", kRaw, 0x02d1, "MEM_LOAD_RETIRED.L2_HIT"},
      {"l3_hit", kRaw, 0x04d1, "MEM_LOAD_RETIRED.L3_HIT"},
      {"l3_miss", kRaw, 0x20d1, "MEM_LOAD_RETIRED.L3_MISS"},
      {"fb_hit", kRaw, 0x40d1, "MEM_LOAD_RETIRED.FB_HIT"},
      {"local_dram", kRaw, 0x01d3, "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM"},
      {"remote_dram", kRaw, 0x02d3, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM"},
      {"remote_hitm", kRaw, 0x04d3, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM"},
      {"remote_fwd", kRaw, 0x08d3, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD"},
      {"pend_miss", kRaw, 0x0148, "L1D_PEND_MISS.PENDING"},
      {"pend_miss_cycles", kRaw, 0x01000148, "L1D_PEND_MISS.PENDING_CYCLES"}};
  if (without_pmm) return events;
  events.push_back({"local_pmm", kRaw, 0x80d1, "MEM_LOAD_RETIRED.LOCAL_PMM"});
  events.push_back({"remote_pmm", kRaw, 0x10d3, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM"});
  return events;
}

std::vector<EventGroup> IntelCommonGroups(bool without_pmm) {
  std::vector<EventGroup> groups = {
      {"branches", {"cycles", "instructions", "branches", "branch_misses"}},
      {"retired loads", {"cycles", "instructions", "l1_miss", "l2_hit", "l3_hit", "fb_hit"}},
      {"memory sources", {"cycles", "local_dram", "remote_dram", "remote_hitm", "remote_fwd"}},
      {"load overlap",
       {"cycles", "pend_miss", "pend_miss_cycles", "outstanding_c4", "outstanding_c1"}}};
  EventGroup misses = {"misses", {"cycles", "instructions", "l3_miss"}};
  if (!without_pmm) {
    misses.events.push_back("local_pmm");
    misses.events.push_back("remote_pmm");
  }
  groups.push_back(std::move(misses));
  return groups;
}

std::vector<MetricRow> IntelCommonMetrics() {
  return {
      {"cycles_per_query", "per query", "cycles / queries", kPlain},
      {"instructions_per_query", "per query", "instructions / queries", kPlain},
      {"ipc", "instructions per cycle", "instructions / cycles", kRatios},
      {"branch_misses_per_1000", "per 1,000 instructions", "1000 * branch_misses / instructions",
       kPlain},
      {"branch_miss_share", "share of branches", "branch_misses / branches", kPlain,
       MetricCheck::kFraction},
      {"llc_misses_per_1000", "per 1,000 instructions", "1000 * l3_miss / instructions", kRatios},
      {"l1_misses_per_1000", "per 1,000 instructions", "1000 * l1_miss / instructions", kRatios},
      {"memory_level_parallelism", "loads at a time", "pend_miss / pend_miss_cycles", kRatios},
      {"memory_bandwidth_bound", "share of cycles", "min(cycles, outstanding_c4) / cycles", kRatios,
       MetricCheck::kFraction},
      {"memory_latency_bound", "share of cycles",
       "min(cycles, outstanding_c1) / cycles - memory_bandwidth_bound", kRatios,
       MetricCheck::kFraction}};
}

std::vector<MetricRow> IntelLevel2() {
  constexpr std::string_view kSlots = "share of slots";
  return {{"frontend_bandwidth", kSlots, "max(0, frontend_bound - frontend_latency)", kRatios,
           MetricCheck::kFraction},
          {"light_operations", kSlots, "max(0, retiring - heavy_operations)", kRatios,
           MetricCheck::kFraction}};
}

std::vector<std::string_view> IntelLevel2Nodes() {
  return {"light_operations", "heavy_operations",   "branch_mispredicts", "machine_clears",
          "frontend_latency", "frontend_bandwidth", "memory_bound",       "core_bound"};
}

std::vector<MetricRow> IntelMemorySplit(bool without_pmm, std::string_view pm_title) {
  if (without_pmm) {
    return {{"dram_bound", "share of cycles", "external_memory_bound", kRatios,
             MetricCheck::kFraction}};
  }
  return {{"dram_share_of_misses", "share",
           "(19 * remote_dram + 10 * (local_dram + remote_fwd + remote_hitm)) / "
           "(19 * remote_dram + 10 * (local_dram + remote_fwd + remote_hitm) + 25 * local_pmm + "
           "33 * remote_pmm)",
           kRatios, MetricCheck::kFraction},
          {"pm_bound", "share of cycles",
           "if(1000000 * (local_pmm + remote_pmm) > l1_miss, "
           "(1 - dram_share_of_misses) * external_memory_bound, 0)",
           kRatios, MetricCheck::kFraction, pm_title},
          {"dram_bound", "share of cycles", "external_memory_bound - pm_bound", kRatios,
           MetricCheck::kFraction}};
}

}  // namespace pmdex
