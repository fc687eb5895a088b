// The names that the tables give the nodes of the top-down hierarchy. A CPU has some of them.
// Thread-safe: constants.
#pragma once

#include <array>
#include <span>
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

// A node and those that it is divided into.
struct DividedNode {
  std::string_view node;
  std::span<const std::string_view> parts;
};
inline constexpr std::string_view kRetiringParts[] = {"light_operations", "heavy_operations",
                                                      "retiring_fastpath", "retiring_microcode"};
inline constexpr std::string_view kSpeculationParts[] = {"branch_mispredicts", "machine_clears",
                                                         "pipeline_restarts"};
inline constexpr std::string_view kFrontendParts[] = {"frontend_latency", "frontend_bandwidth"};
inline constexpr std::string_view kBackendParts[] = {"memory_bound", "core_bound"};
inline constexpr DividedNode kDividedNodes[] = {{"retiring", kRetiringParts},
                                                {"bad_speculation", kSpeculationParts},
                                                {"frontend_bound", kFrontendParts},
                                                {"backend_bound", kBackendParts},
                                                {"memory_bound", kMemoryNodes}};

// Empty if the node is not divided.
inline std::span<const std::string_view> PartsOfNode(std::string_view node) {
  for (const DividedNode& divided : kDividedNodes) {
    if (divided.node == node) return divided.parts;
  }
  return {};
}

}  // namespace pmdex
