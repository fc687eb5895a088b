// Intel Ice Lake-SP: 5 slots a cycle, 8 counters a thread beside the fixed ones; the stalls by
// level of cache only count on four of these.
//
// Level 1 is taken from general counters. PERF_METRICS gives the same with 8 bits a category since
// the last reset, which is too coarse for one query, and virtual machines hide it.
#include "tools/counters/event_table.h"
#include "tools/counters/intel_rows.h"

namespace pmdex {
namespace {

constexpr std::string_view kIceLakeRatios = "pmu-tools icx_server_ratios.py 5.1-full";
constexpr auto kIceLakeRaw = EventType::kRaw;
constexpr auto kIceLakeShare = MetricCheck::kFraction;

std::vector<CounterEvent> IceLakeEvents() {
  return {
      {"slots", kIceLakeRaw, 0x01a4, "TOPDOWN.SLOTS_P", true},
      {"backend_slots", kIceLakeRaw, 0x02a4, "TOPDOWN.BACKEND_BOUND_SLOTS"},
      {"retired", kIceLakeRaw, 0x02c2, "UOPS_RETIRED.SLOTS", true},
      {"not_delivered", kIceLakeRaw, 0x019c, "IDQ_UOPS_NOT_DELIVERED.CORE"},
      {"uop_dropping", kIceLakeRaw, 0x100d, "INT_MISC.UOP_DROPPING"},
      {"clears", kIceLakeRaw, 0x0104010d, "INT_MISC.CLEARS_COUNT"},
      {"idle_fetch", kIceLakeRaw, 0x0500019c, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"},
      {"machine_clear_count", kIceLakeRaw, 0x010401c3, "MACHINE_CLEARS.COUNT"},
      {"decoded_first", kIceLakeRaw, 0x0156, "UOPS_DECODED.DEC0"},
      {"decoded_first_cycles", kIceLakeRaw, 0x01000156, "UOPS_DECODED.DEC0, cmask 1"},
      {"legacy_uops", kIceLakeRaw, 0x0479, "IDQ.MITE_UOPS"},
      {"microcode_uops", kIceLakeRaw, 0x3079, "IDQ.MS_UOPS"},
      {"issued", kIceLakeRaw, 0x010e, "UOPS_ISSUED.ANY", true},
      {"load_walk_cycles", kIceLakeRaw, 0x01001008, "DTLB_LOAD_MISSES.WALK_ACTIVE"},
      {"stalls_mem_any", kIceLakeRaw, 0x140014a3, "CYCLE_ACTIVITY.STALLS_MEM_ANY"},
      {"stalls_l1d_miss", kIceLakeRaw, 0x0c000ca3, "CYCLE_ACTIVITY.STALLS_L1D_MISS"},
      {"stalls_l2_miss", kIceLakeRaw, 0x050005a3, "CYCLE_ACTIVITY.STALLS_L2_MISS"},
      {"stalls_l3_miss", kIceLakeRaw, 0x060006a3, "CYCLE_ACTIVITY.STALLS_L3_MISS"},
      {"stalls_total", kIceLakeRaw, 0x040004a3, "CYCLE_ACTIVITY.STALLS_TOTAL"},
      {"bound_on_stores", kIceLakeRaw, 0x020040a6, "EXE_ACTIVITY.BOUND_ON_STORES"},
      {"one_port", kIceLakeRaw, 0x02a6, "EXE_ACTIVITY.1_PORTS_UTIL"},
      {"two_ports", kIceLakeRaw, 0x04a6, "EXE_ACTIVITY.2_PORTS_UTIL"},
      {"fb_full_periods", kIceLakeRaw, 0x01040248, "L1D_PEND_MISS.FB_FULL_PERIODS"},
      {"outstanding_c4", kIceLakeRaw, 0x04000860,
       "OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD, cmask 4"},
      {"outstanding_c1", kIceLakeRaw, 0x01000860,
       "OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD"}};
}

std::vector<EventGroup> IceLakeGroups() {
  return {
      {"level 1",
       {"cycles", "instructions", "slots", "backend_slots", "retired", "not_delivered",
        "uop_dropping", "clears"}},
      {"level 2",
       {"cycles", "idle_fetch", "machine_clear_count", "decoded_first", "decoded_first_cycles",
        "legacy_uops", "microcode_uops", "issued"}},
      {"memory bound", {"cycles", "stalls_mem_any", "bound_on_stores", "stalls_total", "one_port"}},
      {"memory levels",
       {"cycles", "two_ports", "stalls_l1d_miss", "stalls_l2_miss", "stalls_l3_miss"}},
      {"fill buffers", {"cycles", "fb_full_periods", "load_walk_cycles"}}};
}

std::vector<MetricRow> IceLakeTopDown() {
  return {{"frontend_bound", "share of slots", "(not_delivered - uop_dropping) / slots",
           kIceLakeRatios, kIceLakeShare},
          {"backend_bound", "share of slots", "(backend_slots + 5 * clears) / slots",
           kIceLakeRatios, kIceLakeShare},
          {"retiring", "share of slots", "retired / slots", kIceLakeRatios, kIceLakeShare},
          {"bad_speculation", "share of slots", "1 - (frontend_bound + backend_bound + retiring)",
           kIceLakeRatios, kIceLakeShare},
          {"memory_bound", "share of slots",
           "backend_bound * (stalls_mem_any + bound_on_stores) / "
           "(stalls_total + one_port + retiring * two_ports + bound_on_stores)",
           kIceLakeRatios, kIceLakeShare},
          {"core_bound", "share of slots", "backend_bound - memory_bound", kIceLakeRatios,
           kIceLakeShare},
          {"branch_mispredicts", "share of slots",
           "branch_misses / (branch_misses + machine_clear_count) * bad_speculation",
           kIceLakeRatios, kIceLakeShare},
          {"machine_clears", "share of slots", "max(0, bad_speculation - branch_mispredicts)",
           kIceLakeRatios, kIceLakeShare},
          {"frontend_latency", "share of slots", "(5 * idle_fetch - uop_dropping) / slots",
           kIceLakeRatios, kIceLakeShare},
          {"microcode", "share of slots", "retired / issued * microcode_uops / slots",
           kIceLakeRatios, kIceLakeShare},
          {"heavy_operations", "share of slots",
           "microcode + retiring * (decoded_first - decoded_first_cycles) / legacy_uops",
           kIceLakeRatios, kIceLakeShare},
          {"load_page_walks", "share of cycles", "load_walk_cycles / cycles", kIceLakeRatios,
           kIceLakeShare},
          {"load_miss_latency", "cycles", "pend_miss / (l1_miss + fb_hit)", kIceLakeRatios},
          {"l1_bound", "share of cycles", "max((stalls_mem_any - stalls_l1d_miss) / cycles, 0)",
           kIceLakeRatios, kIceLakeShare},
          {"l2_hits_with_buffers", "loads", "l2_hit * (1 + fb_hit / l1_miss)", kIceLakeRatios},
          {"l2_bound", "share of cycles",
           "l2_hits_with_buffers / (l2_hits_with_buffers + fb_full_periods) * "
           "(stalls_l1d_miss - stalls_l2_miss) / cycles",
           kIceLakeRatios, kIceLakeShare},
          {"l3_bound", "share of cycles", "(stalls_l2_miss - stalls_l3_miss) / cycles",
           kIceLakeRatios, kIceLakeShare},
          {"external_memory_bound", "share of cycles",
           "stalls_l3_miss / cycles + (stalls_l1d_miss - stalls_l2_miss) / cycles - l2_bound",
           kIceLakeRatios, kIceLakeShare},
          {"store_bound", "share of cycles", "bound_on_stores / cycles", kIceLakeRatios,
           kIceLakeShare}};
}

}  // namespace

const EventTable& IceLakeTable() {
  static const auto* const table = new EventTable{
      .name = "ice-lake",
      .title = "Intel Ice Lake-SP",
      .width = 5,
      .events = Joined(IntelCommonEvents(/*without_pmm=*/false), IceLakeEvents()),
      .groups = Joined(IceLakeGroups(), IntelCommonGroups(/*without_pmm=*/false)),
      .metrics = Joined(Joined(Joined(IntelCommonMetrics(), IceLakeTopDown()), IntelLevel2()),
                        IntelMemorySplit(/*without_pmm=*/false)),
      .level1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound"},
      .level2 = IntelLevel2Nodes(),
      .memory = {"l1_bound", "l2_bound", "l3_bound", "dram_bound", "pm_bound", "store_bound"}};
  return *table;
}

}  // namespace pmdex
