// Intel Skylake-SP and Cascade Lake: 4 slots a cycle, 4 counters a thread beside the fixed ones.
//
// With SMT, slots are shared by two threads, and the events of the whole core need rights that a
// user has not. Then the fractions are right only while the sibling thread is idle. The categories
// of level 1 add up to 1 by their formulas, so that their sum shows nothing: the checks of single
// shares, and of parts against their whole, find some other cases.
#include "tools/counters/event_table.h"
#include "tools/counters/intel_rows.h"

namespace pmdex {
namespace {

constexpr std::string_view kSkylakeRatios = "pmu-tools skx/clx_server_ratios.py 5.1-full";
constexpr auto kSkylakeRaw = EventType::kRaw;
constexpr auto kShare = MetricCheck::kFraction;

std::vector<CounterEvent> SkylakeEvents() {
  return {
      {"not_delivered", kSkylakeRaw, 0x019c, "IDQ_UOPS_NOT_DELIVERED.CORE"},
      {"issued", kSkylakeRaw, 0x010e, "UOPS_ISSUED.ANY", true},
      {"retired", kSkylakeRaw, 0x02c2, "UOPS_RETIRED.RETIRE_SLOTS", true},
      {"recovery", kSkylakeRaw, 0x010d, "INT_MISC.RECOVERY_CYCLES"},
      {"idle_fetch", kSkylakeRaw, 0x0400019c, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"},
      {"machine_clear_count", kSkylakeRaw, 0x010401c3, "MACHINE_CLEARS.COUNT"},
      {"macro_fused", kSkylakeRaw, 0x04c2, "UOPS_RETIRED.MACRO_FUSED"},
      {"load_walk_cycles", kSkylakeRaw, 0x01001008, "DTLB_LOAD_MISSES.WALK_ACTIVE"},
      {"stalls_mem_any", kSkylakeRaw, 0x140014a3, "CYCLE_ACTIVITY.STALLS_MEM_ANY"},
      {"stalls_l1d_miss", kSkylakeRaw, 0x0c000ca3, "CYCLE_ACTIVITY.STALLS_L1D_MISS"},
      {"stalls_l2_miss", kSkylakeRaw, 0x050005a3, "CYCLE_ACTIVITY.STALLS_L2_MISS"},
      {"stalls_l3_miss", kSkylakeRaw, 0x060006a3, "CYCLE_ACTIVITY.STALLS_L3_MISS"},
      {"stalls_total", kSkylakeRaw, 0x040004a3, "CYCLE_ACTIVITY.STALLS_TOTAL"},
      {"bound_on_stores", kSkylakeRaw, 0x40a6, "EXE_ACTIVITY.BOUND_ON_STORES"},
      {"one_port", kSkylakeRaw, 0x02a6, "EXE_ACTIVITY.1_PORTS_UTIL"},
      {"two_ports", kSkylakeRaw, 0x04a6, "EXE_ACTIVITY.2_PORTS_UTIL"},
      {"fb_full_periods", kSkylakeRaw, 0x01000248, "L1D_PEND_MISS.FB_FULL, cmask 1"},
      {"outstanding_c4", kSkylakeRaw, 0x04000860,
       "OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD, cmask 4"},
      {"outstanding_c1", kSkylakeRaw, 0x01000860,
       "OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD"}};
}

std::vector<EventGroup> SkylakeGroups() {
  return {
      {"level 1", {"cycles", "instructions", "not_delivered", "issued", "retired", "recovery"}},
      {"level 2", {"cycles", "instructions", "idle_fetch", "machine_clear_count", "macro_fused"}},
      {"memory bound", {"cycles", "stalls_mem_any", "bound_on_stores", "stalls_total", "one_port"}},
      {"memory levels",
       {"cycles", "two_ports", "stalls_l1d_miss", "stalls_l2_miss", "stalls_l3_miss"}},
      {"fill buffers", {"cycles", "fb_full_periods", "load_walk_cycles"}}};
}

std::vector<MetricRow> SkylakeTopDown() {
  return {
      {"slots", "slots", "4 * cycles", kSkylakeRatios},
      {"frontend_bound", "share of slots", "not_delivered / slots", kSkylakeRatios, kShare},
      {"bad_speculation", "share of slots", "(issued - retired + 4 * recovery) / slots",
       kSkylakeRatios, kShare},
      {"retiring", "share of slots", "retired / slots", kSkylakeRatios, kShare},
      {"backend_bound", "share of slots", "1 - frontend_bound - (issued + 4 * recovery) / slots",
       kSkylakeRatios, kShare},
      {"memory_bound", "share of slots",
       "backend_bound * (stalls_mem_any + bound_on_stores) / "
       "(stalls_total + one_port + retiring * two_ports + bound_on_stores)",
       kSkylakeRatios, kShare},
      {"core_bound", "share of slots", "backend_bound - memory_bound", kSkylakeRatios, kShare},
      {"branch_mispredicts", "share of slots",
       "branch_misses / (branch_misses + machine_clear_count) * bad_speculation", kSkylakeRatios,
       kShare},
      {"machine_clears", "share of slots", "bad_speculation - branch_mispredicts", kSkylakeRatios,
       kShare},
      {"frontend_latency", "share of slots", "4 * idle_fetch / slots", kSkylakeRatios, kShare},
      {"heavy_operations", "share of slots", "(retired + macro_fused - instructions) / slots",
       kSkylakeRatios, kShare},
      {"load_page_walks", "share of cycles", "load_walk_cycles / cycles", kSkylakeRatios, kShare},
      {"load_miss_latency", "cycles", "pend_miss / (l1_miss + fb_hit)", kSkylakeRatios},
      {"l1_bound", "share of cycles", "max((stalls_mem_any - stalls_l1d_miss) / cycles, 0)",
       kSkylakeRatios, kShare},
      {"l2_hits_with_buffers", "loads", "l2_hit * (1 + fb_hit / l1_miss)", kSkylakeRatios},
      {"l2_bound", "share of cycles",
       "l2_hits_with_buffers / (l2_hits_with_buffers + fb_full_periods) * "
       "(stalls_l1d_miss - stalls_l2_miss) / cycles",
       kSkylakeRatios, kShare},
      {"l3_bound", "share of cycles", "(stalls_l2_miss - stalls_l3_miss) / cycles", kSkylakeRatios,
       kShare},
      {"external_memory_bound", "share of cycles",
       "stalls_l3_miss / cycles + (stalls_l1d_miss - stalls_l2_miss) / cycles - l2_bound",
       kSkylakeRatios, kShare},
      {"store_bound", "share of cycles", "bound_on_stores / cycles", kSkylakeRatios, kShare}};
}

EventTable MakeSkylakeTable(std::string_view name, std::string_view title, bool without_pmm) {
  EventTable table;
  table.name = name;
  table.title = title;
  table.width = 4;
  table.events = Joined(IntelCommonEvents(without_pmm), SkylakeEvents());
  table.groups = Joined(SkylakeGroups(), IntelCommonGroups(without_pmm));
  table.metrics = Joined(Joined(Joined(IntelCommonMetrics(), SkylakeTopDown()), IntelLevel2()),
                         IntelMemorySplit(without_pmm));
  table.level1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound"};
  table.level2 = IntelLevel2Nodes();
  table.memory = {"l1_bound", "l2_bound", "l3_bound", "dram_bound"};
  if (!without_pmm) table.memory.push_back("pm_bound");
  table.memory.push_back("store_bound");
  return table;
}

}  // namespace

const EventTable& SkylakeTable() {
  static const auto* const table =
      new EventTable(MakeSkylakeTable("skylake", "Intel Skylake-SP", /*without_pmm=*/true));
  return *table;
}

const EventTable& CascadeLakeTable() {
  static const auto* const table = new EventTable(
      MakeSkylakeTable("cascade-lake", "Intel Cascade Lake, Cooper Lake", /*without_pmm=*/false));
  return *table;
}

}  // namespace pmdex
