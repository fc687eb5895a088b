// Reads which CXL memory devices the kernel lists, for `pmdex doctor`. A device has persistent and
// volatile bytes; most devices on sale have only volatile ones. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

struct CxlDeviceFacts {
  std::string name;  // "mem0"
  uint64_t persistent_bytes = 0;
  uint64_t volatile_bytes = 0;
  std::optional<int> numa_node;
};

// Reads ROOT/sys/bus/cxl/devices. Empty if the machine has no CXL bus.
std::vector<CxlDeviceFacts> ReadCxlDevices(std::string_view root = "/");

}  // namespace pmdex
