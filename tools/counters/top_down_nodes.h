// The names that the tables give the nodes of the top-down hierarchy. A CPU has some of them.
// Thread-safe: constants.
#pragma once

#include <array>
#include <string_view>

namespace pmdex {

// Shares of slots. Only AMD has the last one.
inline constexpr std::array<std::string_view, 5> kLevel1Nodes = {
    "retiring", "bad_speculation", "frontend_bound", "backend_bound", "smt_contention_share"};

// The nodes of level 1 divided, in their order.
inline constexpr std::array<std::string_view, 12> kLevel2Nodes = {
    "light_operations",   "heavy_operations", "retiring_fastpath", "retiring_microcode",
    "branch_mispredicts", "machine_clears",   "pipeline_restarts", "frontend_latency",
    "frontend_bandwidth", "memory_bound",     "core_bound",        "smt_contention_share"};

// What memory bound is made of, as shares of cycles.
inline constexpr std::array<std::string_view, 6> kMemoryNodes = {
    "l1_bound", "l2_bound", "l3_bound", "dram_bound", "pm_bound", "store_bound"};

}  // namespace pmdex
