// Reads which NUMA nodes this machine has, and on which node the medium of a path is. All functions
// return snapshots. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct NumaNode {
  int id = 0;
  uint64_t memory_bytes = 0;
  uint64_t free_bytes = 0;
  std::vector<int> cpus;  // empty for a node of memory only, such as a CXL expander
};

// All nodes in the order of their ids. Empty if the kernel has no NUMA or libnuma is missing.
std::vector<NumaNode> ReadNumaNodes();

// Where the device of a path is. Most virtual disks know neither node.
struct NumaPlace {
  std::optional<int> memory_node;  // target_node: of the memory itself
  std::optional<int> cpu_node;     // numa_node: of the CPUs nearest to the device
  // Where threads that use the memory should run: a thread needs CPUs.
  std::optional<int> NearestNode() const { return cpu_node.has_value() ? cpu_node : memory_node; }
};

// Reads ROOT/sys/dev/block/MAJOR:MINOR and the devices above it. Returns kNotFound if the path does
// not exist.
absl::StatusOr<NumaPlace> FindNumaPlace(const std::string& path, std::string_view root = "/");
// The same for a known block device.
NumaPlace FindNumaPlaceOfDevice(unsigned major, unsigned minor, std::string_view root);

// "0-3,8" for {0,1,2,3,8}.
std::string FormatCpuList(const std::vector<int>& cpus);

}  // namespace pmdex
