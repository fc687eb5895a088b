// Intel Sapphire Rapids and Emerald Rapids: 6 slots a cycle, 8 counters a thread beside the fixed
// ones; the stalls by level of cache only count on four of these.
//
// Levels 1 and 2 are taken from general counters; ice_lake_table.cc says why. What pmu-tools calls
// CXL memory bound is `pm_bound` here: memory behind persistent memory's events is CXL memory on
// machines without DIMMs of persistent memory.
#include "tools/counters/event_table.h"
#include "tools/counters/intel_rows.h"

namespace pmdex {
namespace {

constexpr std::string_view kRapidsRatios = "pmu-tools spr_server_ratios.py 5.1-full";
constexpr auto kRapidsRaw = EventType::kRaw;
constexpr auto kRapidsShare = MetricCheck::kFraction;

std::vector<CounterEvent> RapidsEvents() {
  return {
      {"slots", kRapidsRaw, 0x01a4, "TOPDOWN.SLOTS_P", true},
      {"backend_slots", kRapidsRaw, 0x02a4, "TOPDOWN.BACKEND_BOUND_SLOTS"},
      {"mispredict_slots", kRapidsRaw, 0x08a4, "TOPDOWN.BR_MISPREDICT_SLOTS"},
      {"memory_slots", kRapidsRaw, 0x10a4, "TOPDOWN.MEMORY_BOUND_SLOTS"},
      {"retired", kRapidsRaw, 0x02c2, "UOPS_RETIRED.SLOTS", true},
      {"bubbles", kRapidsRaw, 0x019c, "IDQ_BUBBLES.CORE"},
      {"uop_dropping", kRapidsRaw, 0x10ad, "INT_MISC.UOP_DROPPING"},
      {"idle_fetch", kRapidsRaw, 0x0600019c, "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE"},
      {"heavy_uops", kRapidsRaw, 0x01c2, "UOPS_RETIRED.HEAVY"},
      {"load_walk_cycles", kRapidsRaw, 0x01001012, "DTLB_LOAD_MISSES.WALK_ACTIVE"},
      {"bound_on_loads", kRapidsRaw, 0x050021a6, "EXE_ACTIVITY.BOUND_ON_LOADS"},
      {"stalls_l1d_miss", kRapidsRaw, 0x03000347, "MEMORY_ACTIVITY.STALLS_L1D_MISS"},
      {"stalls_l2_miss", kRapidsRaw, 0x05000547, "MEMORY_ACTIVITY.STALLS_L2_MISS"},
      {"stalls_l3_miss", kRapidsRaw, 0x09000947, "MEMORY_ACTIVITY.STALLS_L3_MISS"},
      {"bound_on_stores", kRapidsRaw, 0x020040a6, "EXE_ACTIVITY.BOUND_ON_STORES"},
      {"l1_miss_any", kRapidsRaw, 0xfd43, "MEM_LOAD_COMPLETED.L1_MISS_ANY"},
      {"outstanding_c4", kRapidsRaw, 0x04000820, "OFFCORE_REQUESTS_OUTSTANDING.DATA_RD, cmask 4"},
      {"outstanding_c1", kRapidsRaw, 0x01000820,
       "OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD"}};
}

std::vector<EventGroup> RapidsGroups() {
  return {{"levels 1 and 2",
           {"cycles", "instructions", "mispredict_slots", "slots", "backend_slots", "memory_slots",
            "retired", "bubbles", "uop_dropping"}},
          {"memory levels",
           {"cycles", "bound_on_loads", "stalls_l1d_miss", "stalls_l2_miss", "stalls_l3_miss"}},
          {"stores, misses and level 2",
           {"cycles", "bound_on_stores", "l1_miss_any", "idle_fetch", "heavy_uops",
            "load_walk_cycles"}}};
}

std::vector<MetricRow> RapidsTopDown() {
  return {
      {"frontend_bound", "share of slots", "(bubbles - uop_dropping) / slots", kRapidsRatios,
       kRapidsShare},
      {"backend_bound", "share of slots", "backend_slots / slots", kRapidsRatios, kRapidsShare},
      {"retiring", "share of slots", "retired / slots", kRapidsRatios, kRapidsShare},
      {"bad_speculation", "share of slots", "1 - (frontend_bound + backend_bound + retiring)",
       kRapidsRatios, kRapidsShare},
      {"memory_bound", "share of slots", "memory_slots / slots", kRapidsRatios, kRapidsShare},
      {"core_bound", "share of slots", "backend_bound - memory_bound", kRapidsRatios, kRapidsShare},
      {"branch_mispredicts", "share of slots", "mispredict_slots / slots", kRapidsRatios,
       kRapidsShare},
      {"machine_clears", "share of slots", "bad_speculation - branch_mispredicts", kRapidsRatios,
       kRapidsShare},
      {"frontend_latency", "share of slots", "(6 * idle_fetch - uop_dropping) / slots",
       kRapidsRatios, kRapidsShare},
      {"heavy_operations", "share of slots", "heavy_uops / slots", kRapidsRatios, kRapidsShare},
      {"load_page_walks", "share of cycles", "load_walk_cycles / cycles", kRapidsRatios,
       kRapidsShare},
      {"load_miss_latency", "cycles", "pend_miss / l1_miss_any", kRapidsRatios},
      {"l1_bound", "share of cycles", "max((bound_on_loads - stalls_l1d_miss) / cycles, 0)",
       kRapidsRatios, kRapidsShare},
      {"l2_bound", "share of cycles", "(stalls_l1d_miss - stalls_l2_miss) / cycles", kRapidsRatios,
       kRapidsShare},
      {"l3_bound", "share of cycles", "(stalls_l2_miss - stalls_l3_miss) / cycles", kRapidsRatios,
       kRapidsShare},
      {"external_memory_bound", "share of cycles", "stalls_l3_miss / cycles", kRapidsRatios,
       kRapidsShare},
      {"store_bound", "share of cycles", "bound_on_stores / cycles", kRapidsRatios, kRapidsShare}};
}

}  // namespace

const EventTable& SapphireRapidsTable() {
  static const auto* const table = new EventTable{
      .name = "sapphire-rapids",
      .title = "Intel Sapphire Rapids, Emerald Rapids",
      .width = 6,
      .events = Joined(IntelCommonEvents(/*without_pmm=*/false), RapidsEvents()),
      .groups = Joined(RapidsGroups(), IntelCommonGroups(/*without_pmm=*/false)),
      .metrics = Joined(Joined(Joined(IntelCommonMetrics(), RapidsTopDown()), IntelLevel2()),
                        IntelMemorySplit(/*without_pmm=*/false, "PM or CXL")),
      .level1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound"},
      .level2 = IntelLevel2Nodes(),
      .memory = {"l1_bound", "l2_bound", "l3_bound", "dram_bound", "pm_bound", "store_bound"}};
  return *table;
}

}  // namespace pmdex
