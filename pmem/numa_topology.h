// NUMA: which nodes this machine has and which one a path's bytes lie on. Readers should run on the
// node of their segment; `doctor` reports it. Snapshots; thread-safe: no state.
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
  std::vector<int> cpus;  // empty: memory only, the shape of a CXL expander
};

// By id, as libnuma sees them. Empty where the kernel has no NUMA at all, or libnuma is missing.
std::vector<NumaNode> ReadNumaNodes();

// Where the device below a path is. Both unknown for page-cache memory and most virtual disks,
// which is no error.
struct NumaPlace {
  std::optional<int> memory_node;  // target_node: of the memory itself
  std::optional<int> cpu_node;     // numa_node: of the CPUs nearest to the device
};

// From ROOT/sys/dev/block/MAJOR:MINOR and the devices above it. kNotFound when the path does not
// exist.
absl::StatusOr<NumaPlace> FindNumaPlace(const std::string& path, std::string_view root = "/");
// The same for a known block device.
NumaPlace FindNumaPlaceOfDevice(unsigned major, unsigned minor, std::string_view root);

// "0-3,8" for {0,1,2,3,8}.
std::string FormatCpuList(const std::vector<int>& cpus);

}  // namespace pmdex
