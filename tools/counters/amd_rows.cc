#include "tools/counters/amd_rows.h"

namespace pmdex {
namespace {

constexpr std::string_view kAmdPerf = "linux tools/perf amdzen4, amdzen5 recommended.json";
constexpr std::string_view kAmdPlain = "ratio of the events";
constexpr auto kAmdRaw = EventType::kRaw;
constexpr auto kAmdShare = MetricCheck::kFraction;

}  // namespace

std::vector<CounterEvent> AmdEvents() {
  return {{"cycles", kAmdRaw, 0x76, "ls_not_halted_cyc"},
          {"instructions", kAmdRaw, 0xc0, "ex_ret_instr", true},
          {"branches", kAmdRaw, 0xc2, "ex_ret_brn"},
          {"branch_misses", kAmdRaw, 0xc3, "ex_ret_brn_misp"},
          {"no_ops", kAmdRaw, 0x1000001a0, "de_no_dispatch_per_slot.no_ops_from_frontend"},
          {"backend_stalls", kAmdRaw, 0x100001ea0, "de_no_dispatch_per_slot.backend_stalls"},
          {"smt_contention", kAmdRaw, 0x1000060a0, "de_no_dispatch_per_slot.smt_contention"},
          {"retired_ops", kAmdRaw, 0xc1, "ex_ret_ops", true},
          {"dispatched", kAmdRaw, 0x07aa, "de_src_op_disp.all", true},
          {"load_not_complete", kAmdRaw, 0xa2d6, "ex_no_retire.load_not_complete"},
          {"not_complete", kAmdRaw, 0x02d6, "ex_no_retire.not_complete"},
          {"fill_l2", kAmdRaw, 0x0143, "ls_dmnd_fills_from_sys.local_l2"},
          {"fill_ccx", kAmdRaw, 0x0243, "ls_dmnd_fills_from_sys.local_ccx"},
          {"fill_near_cache", kAmdRaw, 0x0443, "ls_dmnd_fills_from_sys.near_cache"},
          {"fill_near_dram", kAmdRaw, 0x0843, "ls_dmnd_fills_from_sys.dram_io_near"},
          {"fill_far_dram", kAmdRaw, 0x4043, "ls_dmnd_fills_from_sys.dram_io_far"},
          {"fill_extension", kAmdRaw, 0x8043, "ls_dmnd_fills_from_sys.alternate_memories"},
          {"outstanding_misses", kAmdRaw, 0x5f, "ls_alloc_mab_count"},
          {"microcode_ops", kAmdRaw, 0x1000000c2, "ex_ret_ucode_ops"},
          {"data_walks", kAmdRaw, 0xf045, "ls_l1_d_tlb_miss.all_l2_miss"}};
}

std::vector<EventGroup> AmdGroups() {
  return {
      {"level 1",
       {"cycles", "no_ops", "backend_stalls", "smt_contention", "retired_ops", "dispatched"}},
      {"memory bound",
       {"cycles", "instructions", "load_not_complete", "not_complete", "outstanding_misses"}},
      {"fills from caches", {"cycles", "instructions", "fill_l2", "fill_ccx", "fill_near_cache"}},
      {"fills from memory",
       {"cycles", "instructions", "fill_near_dram", "fill_far_dram", "fill_extension"}},
      {"branches", {"cycles", "instructions", "branches", "branch_misses", "restarts"}},
      {"level 2", {"cycles", "instructions", "idle_dispatch", "microcode_ops", "data_walks"}}};
}

std::vector<MetricRow> AmdCommonMetrics() {
  constexpr std::string_view kPer1000 = "per 1,000 instructions";
  return {
      {"cycles_per_query", "per query", "cycles / queries", kAmdPlain},
      {"instructions_per_query", "per query", "instructions / queries", kAmdPlain},
      {"ipc", "instructions per cycle", "instructions / cycles", kAmdPlain},
      {"branch_misses_per_1000", kPer1000, "1000 * branch_misses / instructions", kAmdPlain},
      {"branch_miss_share", "share of branches", "branch_misses / branches", kAmdPlain, kAmdShare},
      {"llc_misses_per_1000", kPer1000,
       "1000 * (fill_near_dram + fill_far_dram + fill_extension) / instructions", kAmdPlain},
      {"l2_fills_per_1000", kPer1000, "1000 * fill_l2 / instructions", kAmdPlain},
      {"l3_fills_per_1000", kPer1000, "1000 * (fill_ccx + fill_near_cache) / instructions",
       kAmdPlain},
      {"near_dram_fills_per_1000", kPer1000, "1000 * fill_near_dram / instructions", kAmdPlain},
      {"far_dram_fills_per_1000", kPer1000, "1000 * fill_far_dram / instructions", kAmdPlain},
      {"extension_memory_fills_per_1000", kPer1000, "1000 * fill_extension / instructions",
       kAmdPlain},
      {"page_walks_per_1000", kPer1000, "1000 * data_walks / instructions", kAmdPlain},
      {"memory_level_parallelism", "misses at a time", "outstanding_misses / cycles", kAmdPlain}};
}

std::vector<MetricRow> AmdTopDown() {
  return {
      {"frontend_bound", "share of slots", "no_ops / slots", kAmdPerf, kAmdShare},
      {"bad_speculation", "share of slots", "(dispatched - retired_ops) / slots", kAmdPerf,
       kAmdShare},
      {"backend_bound", "share of slots", "backend_stalls / slots", kAmdPerf, kAmdShare},
      {"smt_contention_share", "share of slots", "smt_contention / slots", kAmdPerf, kAmdShare},
      {"retiring", "share of slots", "retired_ops / slots", kAmdPerf, kAmdShare},
      {"memory_bound", "share of slots", "backend_bound * load_not_complete / not_complete",
       kAmdPerf, kAmdShare},
      {"core_bound", "share of slots", "backend_bound - memory_bound", kAmdPerf, kAmdShare},
      {"branch_mispredicts", "share of slots",
       "bad_speculation * branch_misses / (branch_misses + restarts)", kAmdPerf, kAmdShare},
      {"pipeline_restarts", "share of slots", "bad_speculation - branch_mispredicts", kAmdPerf,
       kAmdShare},
      {"retiring_microcode", "share of slots", "retiring * microcode_ops / retired_ops", kAmdPerf,
       kAmdShare},
      {"retiring_fastpath", "share of slots", "retiring - retiring_microcode", kAmdPerf, kAmdShare},
      {"frontend_bandwidth", "share of slots", "frontend_bound - frontend_latency", kAmdPerf,
       kAmdShare}};
}

std::vector<std::string_view> AmdLevel1Nodes() {
  return {"retiring", "bad_speculation", "frontend_bound", "backend_bound", "smt_contention_share"};
}

std::vector<std::string_view> AmdLevel2Nodes() {
  return {"retiring_fastpath", "retiring_microcode", "branch_mispredicts",
          "pipeline_restarts", "frontend_latency",   "frontend_bandwidth",
          "memory_bound",      "core_bound",         "smt_contention_share"};
}

}  // namespace pmdex
