#include "pmem/cxl_devices.h"

#include <algorithm>

#include "pmem/sysfs.h"

namespace pmdex {
namespace {

// Endpoints, ports and decoders stand in the same directory.
bool IsMemoryDevice(std::string_view name) {
  const std::string_view number = name.substr(std::min<size_t>(name.size(), 3));
  return name.starts_with("mem") && !number.empty() &&
         number.find_first_not_of("0123456789") == number.npos;
}

}  // namespace

std::vector<CxlDeviceFacts> ReadCxlDevices(std::string_view root) {
  const std::string bus = "sys/bus/cxl/devices";
  std::vector<CxlDeviceFacts> devices;
  for (const std::string& name : ListSysNames(root, bus)) {
    if (!IsMemoryDevice(name)) continue;
    const std::string device = bus + "/" + name;
    CxlDeviceFacts facts;
    facts.name = name;
    facts.persistent_bytes = static_cast<uint64_t>(
        std::max<int64_t>(0, ReadSysInt(root, device + "/pmem/size").value_or(0)));
    facts.volatile_bytes = static_cast<uint64_t>(
        std::max<int64_t>(0, ReadSysInt(root, device + "/ram/size").value_or(0)));
    const auto node = ReadSysInt(root, device + "/numa_node");
    if (node.has_value() && *node >= 0) facts.numa_node = static_cast<int>(*node);
    devices.push_back(std::move(facts));
  }
  return devices;
}

}  // namespace pmdex
