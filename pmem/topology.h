// Reads the persistent memory of this machine, as ndctl list and daxctl list show it, for `pmdex
// doctor`. No other command needs it.
//
// On a machine without persistent memory every list is empty. On a machine with persistent memory
// it loads libndctl and libdaxctl, and returns kUnimplemented if they are missing. It needs no
// privileges, but the health of a DIMM may be "unknown" to an ordinary user. Returns a snapshot;
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct NamespaceFacts {
  std::string name;          // "namespace0.0"
  std::string mode;          // "fsdax", "devdax", "sector", "raw", "unknown"
  std::string block_device;  // "pmem0"; empty where there is none
  uint64_t size_bytes = 0;
  bool enabled = false;
  uint64_t bad_bytes = 0;
};

struct RegionFacts {
  std::string name;                // "region0"
  std::string type;                // "pmem", "volatile" ...
  std::string persistence_domain;  // "cpu_cache", "memory_controller", "none", "unknown"
  uint64_t size_bytes = 0;
  uint64_t available_bytes = 0;    // in no namespace yet
  std::optional<int> numa_node;    // of the nearest CPUs
  std::optional<int> target_node;  // of the memory itself
  uint64_t bad_bytes = 0;
  bool read_only = false;
  std::vector<NamespaceFacts> namespaces;
};

struct DimmFacts {
  std::string name;    // "nmem0"
  std::string health;  // "ok", "non-critical", "critical", "fatal", "unknown"
  std::optional<uint32_t> life_used_percent;
  std::optional<uint64_t> dirty_shutdowns;
};

struct DaxDeviceFacts {
  std::string name;  // "dax0.0"
  std::string mode;  // "devdax", "system-ram"
  uint64_t size_bytes = 0;
  std::optional<int> target_node;
};

struct PmemTopology {
  std::vector<RegionFacts> regions;
  std::vector<DimmFacts> dimms;
  std::vector<DaxDeviceFacts> dax_devices;
};

absl::StatusOr<PmemTopology> ReadPmemTopology();

}  // namespace pmdex
