#include "pmem/memory_limit.h"

#include <fstream>
#include <cstdlib>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"

#include "pmem/sysfs.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Where the control groups of one hierarchy are to be found.
struct Hierarchy {
  std::string mount_root;   // group that is mounted, as /proc/self/cgroup names it: "/" or "/a/b"
  std::string mount_point;  // absolute
};

bool HasWord(absl::string_view list, absl::string_view word) {
  const std::vector<absl::string_view> words = absl::StrSplit(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// From /proc/self/mountinfo: "ID PARENT DEVICE ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE
// SUPER_OPTIONS". `type` is cgroup (version 1, whose super options name the controllers) or
// cgroup2.
std::optional<Hierarchy> FindHierarchy(std::string_view root, absl::string_view type) {
  const std::optional<std::string> mounts = ReadSysText(root, "proc/self/mountinfo");
  if (!mounts.has_value()) return std::nullopt;
  for (const absl::string_view line : absl::StrSplit(*mounts, '\n')) {
    const size_t separator = line.find(" - ");
    if (separator == line.npos) continue;
    const std::vector<absl::string_view> mount = absl::StrSplit(line.substr(0, separator), ' ');
    const std::vector<absl::string_view> file_system =
        absl::StrSplit(line.substr(separator + 3), ' ');
    if (mount.size() < 5 || file_system.size() < 3 || file_system[0] != type) continue;
    if (type == "cgroup" && !HasWord(file_system[2], "memory")) continue;
    return Hierarchy{std::string(mount[3]), std::string(mount[4])};
  }
  return std::nullopt;
}

// The process' group from /proc/self/cgroup: "0::PATH" of version 2, "N:memory:PATH" of version 1.
std::optional<std::string> GroupPath(std::string_view root, bool version_2) {
  const std::optional<std::string> groups = ReadSysText(root, "proc/self/cgroup");
  if (!groups.has_value()) return std::nullopt;
  for (const absl::string_view line : absl::StrSplit(*groups, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool matches =
        version_2 ? parts[0] == "0" && parts[1].empty() : HasWord(parts[1], "memory");
    if (matches) return std::string(parts[2]);
  }
  return std::nullopt;
}

// The group below the mount point. A process whose group is not below the group that is mounted (it
// is in a container that shows the container's own groups) is taken to be in that one.
std::string GroupBelowMount(const std::string& group, const std::string& mount_root) {
  if (mount_root == "/") return group;
  const bool below = group == mount_root || group.starts_with(mount_root + "/");
  return below ? group.substr(mount_root.size()) : std::string();
}

// "max" is no limit; nor is what version 1 says by default, a number near 2^63.
void TakeLimit(std::string_view root, const std::string& file, std::optional<uint64_t>& least) {
  constexpr int64_t kNoLimit = int64_t{1} << 60;
  const std::optional<int64_t> value = ReadSysInt(root, file.substr(1));
  if (!value.has_value() || *value <= 0 || *value >= kNoLimit) return;
  const uint64_t bytes = static_cast<uint64_t>(*value);
  least = std::min(least.value_or(bytes), bytes);
}

// Of the group and of all that it is in.
void TakeLimits(std::string_view root, bool version_2, std::optional<uint64_t>& least) {
  const auto hierarchy = FindHierarchy(root, version_2 ? "cgroup2" : "cgroup");
  const auto group = GroupPath(root, version_2);
  if (!hierarchy.has_value() || !group.has_value()) return;
  std::string below = GroupBelowMount(*group, hierarchy->mount_root);
  for (;;) {
    const std::string folder = hierarchy->mount_point + below;
    if (version_2) {
      TakeLimit(root, folder + "/memory.max", least);
      TakeLimit(root, folder + "/memory.high", least);
    } else {
      TakeLimit(root, folder + "/memory.limit_in_bytes", least);
    }
    const size_t slash = below.rfind('/');
    if (slash == below.npos) return;
    below.resize(slash);
  }
}

}  // namespace

std::optional<uint64_t> ControlGroupMemoryLimit(std::string_view root) {
  std::optional<uint64_t> least;
  TakeLimits(root, /*version_2=*/true, least);
  TakeLimits(root, /*version_2=*/false, least);
  return least;
}

uint64_t UsableMemoryBytes() {
  const uint64_t physical =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(physical, ControlGroupMemoryLimit().value_or(physical));
}

// Not getrusage: what a process was before exec counts in its peak there.
uint64_t PeakRssBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  }
  return 0;
}

}  // namespace pmdex
