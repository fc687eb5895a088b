#include "pmem/control_groups.h"

#include <algorithm>
#include <optional>

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

bool HasWord(absl::string_view list, std::string_view word) {
  const std::vector<absl::string_view> words = absl::StrSplit(list, ',');
  return std::find(words.begin(), words.end(), ToAbsl(word)) != words.end();
}

// From /proc/self/mountinfo: "ID PARENT DEVICE ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE
// SUPER_OPTIONS". The type is cgroup (version 1, whose super options name the controllers) or
// cgroup2.
std::optional<Hierarchy> FindHierarchy(std::string_view root, ControlGroupVersion version,
                                       std::string_view controller) {
  const std::optional<std::string> mounts = ReadSysText(root, "proc/self/mountinfo");
  if (!mounts.has_value()) return std::nullopt;
  const bool version_2 = version == ControlGroupVersion::k2;
  for (const absl::string_view line : absl::StrSplit(*mounts, '\n')) {
    const size_t separator = line.find(" - ");
    if (separator == line.npos) continue;
    const std::vector<absl::string_view> mount = absl::StrSplit(line.substr(0, separator), ' ');
    const std::vector<absl::string_view> file_system =
        absl::StrSplit(line.substr(separator + 3), ' ');
    if (mount.size() < 5 || file_system.size() < 3) continue;
    if (mount[4].empty() || mount[4][0] != '/') continue;
    if (file_system[0] != (version_2 ? "cgroup2" : "cgroup")) continue;
    if (!version_2 && !HasWord(file_system[2], controller)) continue;
    return Hierarchy{std::string(mount[3]), std::string(mount[4])};
  }
  return std::nullopt;
}

// The process' group from /proc/self/cgroup: "0::PATH" of version 2, "N:CONTROLLERS:PATH" of
// version 1.
std::optional<std::string> GroupPath(std::string_view root, ControlGroupVersion version,
                                     std::string_view controller) {
  const std::optional<std::string> groups = ReadSysText(root, "proc/self/cgroup");
  if (!groups.has_value()) return std::nullopt;
  for (const absl::string_view line : absl::StrSplit(*groups, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool matches = version == ControlGroupVersion::k2 ? parts[0] == "0" && parts[1].empty()
                                                            : HasWord(parts[1], controller);
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

}  // namespace

std::vector<std::string> ControlGroupFolders(std::string_view root, ControlGroupVersion version,
                                             std::string_view controller) {
  const auto hierarchy = FindHierarchy(root, version, controller);
  const auto group = GroupPath(root, version, controller);
  if (!hierarchy.has_value() || !group.has_value()) return {};
  std::string below = GroupBelowMount(*group, hierarchy->mount_root);
  std::vector<std::string> folders;
  for (;;) {
    folders.push_back((hierarchy->mount_point + below).substr(1));
    const size_t slash = below.rfind('/');
    if (slash == below.npos) return folders;
    below.resize(slash);
  }
}

}  // namespace pmdex
