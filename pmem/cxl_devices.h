// CXL memory devices as the kernel lists them. Whether one is persistent is a property to read, not
// to assume: most expanders sold are volatile. Read by `pmdex doctor`. Thread-safe: no state.
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

// From ROOT/sys/bus/cxl/devices; empty without a CXL bus.
std::vector<CxlDeviceFacts> ReadCxlDevices(std::string_view root = "/");

}  // namespace pmdex
