#include "pmem/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "pmem/control_groups.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

// "max" is no limit; nor is what version 1 says by default, a number near 2^63.
void TakeLimit(std::string_view root, const std::string& file, std::optional<uint64_t>& least) {
  constexpr int64_t kNoLimit = int64_t{1} << 60;
  const std::optional<int64_t> value = ReadSysInt(root, file);
  if (!value.has_value() || *value <= 0 || *value >= kNoLimit) return;
  const uint64_t bytes = static_cast<uint64_t>(*value);
  least = std::min(least.value_or(bytes), bytes);
}

}  // namespace

std::optional<uint64_t> ControlGroupMemoryLimit(std::string_view root) {
  std::optional<uint64_t> least;
  for (const std::string& folder : ControlGroupFolders(root, ControlGroupVersion::k2, "memory")) {
    TakeLimit(root, folder + "/memory.max", least);
    TakeLimit(root, folder + "/memory.high", least);
  }
  for (const std::string& folder : ControlGroupFolders(root, ControlGroupVersion::k1, "memory")) {
    TakeLimit(root, folder + "/memory.limit_in_bytes", least);
  }
  return least;
}

uint64_t UsableMemoryBytes() {
  const uint64_t physical =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(physical, ControlGroupMemoryLimit().value_or(physical));
}

// The peak of getrusage would count what the process was before exec, too.
uint64_t PeakRssBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  }
  return 0;
}

}  // namespace pmdex
