#include "tools/doctor_machine_checks.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace pmdex {
namespace {

constexpr char kNoPmem[] =
    "There is no persistent memory here, and pmdex needs none: any directory works.";

DoctorCheck CheckRegions(const DoctorFacts& facts) {
  const auto& regions = facts.topology.regions;
  if (!facts.topology_status.ok()) {
    return {"regions", CheckState::kWarn, "unknown",
            absl::StrCat("The list of persistent memory could not be read (",
                         facts.topology_status.message(), ")."),
            absl::IsUnimplemented(facts.topology_status) ? "apt-get install libndctl6 libdaxctl1"
                                                         : "ndctl list -RN"};
  }
  if (regions.empty()) return {"regions", CheckState::kAbsent, "none", kNoPmem, ""};
  DoctorCheck check{"regions", CheckState::kOk, "",
                    "A region is persistent memory that the firmware or the CXL driver reports; "
                    "namespaces divide it.",
                    ""};
  std::vector<std::string> values;
  for (const RegionFacts& region : regions) {
    values.push_back(absl::StrCat(
        region.name, " ", region.type, " ", FormatByteCount(region.size_bytes), ", domain ",
        region.persistence_domain,
        region.target_node.has_value() ? absl::StrCat(", node ", *region.target_node) : "",
        region.read_only ? ", read-only" : ""));
    if (region.namespaces.empty() && region.available_bytes > 0 && check.fix.empty()) {
      check.state = CheckState::kWarn;
      check.meaning = region.name + " has no namespace, so nothing can be stored in it yet.";
      check.fix = "ndctl create-namespace --mode=fsdax --region=" + region.name;
    }
  }
  check.value = absl::StrJoin(values, "; ");
  return check;
}

DoctorCheck CheckNamespaces(const DoctorFacts& facts) {
  DoctorCheck check{"namespaces", CheckState::kAbsent, "none", kNoPmem, ""};
  if (!facts.topology.regions.empty()) check.meaning = "No namespace is set up.";
  std::vector<std::string> values;
  bool fsdax = false;
  for (const RegionFacts& region : facts.topology.regions) {
    for (const NamespaceFacts& space : region.namespaces) {
      fsdax = fsdax || (space.mode == "fsdax" && space.enabled);
      values.push_back(
          absl::StrCat(space.name, " ", space.mode, " ", FormatByteCount(space.size_bytes),
                       space.block_device.empty() ? "" : absl::StrCat(" /dev/", space.block_device),
                       space.enabled ? "" : " (disabled)"));
    }
  }
  for (const DaxDeviceFacts& device : facts.topology.dax_devices) {
    values.push_back(absl::StrCat(
        device.name, " ", device.mode, " ", FormatByteCount(device.size_bytes),
        device.target_node.has_value() ? absl::StrCat(" node ", *device.target_node) : ""));
  }
  if (values.empty()) return check;
  check.value = absl::StrJoin(values, "; ");
  check.state = fsdax ? CheckState::kOk : CheckState::kInfo;
  check.meaning =
      fsdax ? "An enabled fsdax namespace can hold a file system mounted with dax=always."
            : "Only an enabled fsdax namespace can hold files with DAX; changing the mode "
              "of a namespace erases it.";
  return check;
}

DoctorCheck CheckHealth(const DoctorFacts& facts) {
  if (facts.topology.dimms.empty()) {
    const bool none = facts.topology.regions.empty();
    return {"health", CheckState::kAbsent, none ? "none" : "not reported",
            none ? kNoPmem : "These regions belong to no DIMM that reports its health.", ""};
  }
  DoctorCheck check{"health", CheckState::kOk, "", "Every module reports that it is healthy.", ""};
  std::vector<std::string> values;
  for (const DimmFacts& dimm : facts.topology.dimms) {
    std::string value = dimm.name + " " + dimm.health;
    if (dimm.life_used_percent) absl::StrAppend(&value, ", ", *dimm.life_used_percent, " % worn");
    if (dimm.dirty_shutdowns.value_or(0) > 0) {
      absl::StrAppend(&value, ", dirty shutdowns: ", *dimm.dirty_shutdowns);
    }
    values.push_back(std::move(value));
    if (dimm.health == "ok") continue;
    if (dimm.health == "unknown") {
      if (check.state == CheckState::kWarn) continue;
      check.state = CheckState::kInfo;
      check.meaning = "Some modules do not report their health, at least not to this user.";
      continue;
    }
    check.state = CheckState::kWarn;
    check.meaning = "A module reports a problem: copy the index elsewhere before it fails.";
    check.fix = "ndctl list --dimms --health";
  }
  check.value = absl::StrJoin(values, "; ");
  return check;
}

DoctorCheck CheckBadBlocks(const DoctorFacts& facts) {
  if (facts.topology.regions.empty()) {
    return {"bad_blocks", CheckState::kAbsent, "none", kNoPmem, ""};
  }
  uint64_t bad_bytes = 0;
  for (const RegionFacts& region : facts.topology.regions) {
    uint64_t in_namespaces = 0;
    for (const NamespaceFacts& space : region.namespaces) in_namespaces += space.bad_bytes;
    bad_bytes += std::max(region.bad_bytes, in_namespaces);  // both list the same blocks
  }
  if (bad_bytes == 0) {
    return {"bad_blocks", CheckState::kOk, "none", "No media error is known.", ""};
  }
  return {"bad_blocks", CheckState::kWarn, FormatByteCount(bad_bytes) + " unreadable",
          "Searches leave out a segment on a bad block and say so; pmdex verify lists them.",
          "ndctl list --media-errors"};
}

DoctorCheck CheckCxl(const DoctorFacts& facts) {
  if (facts.cxl_devices.empty()) {
    return {"cxl", CheckState::kAbsent, "none", "No CXL memory device is attached.", ""};
  }
  uint64_t persistent_bytes = 0;
  std::vector<std::string> values;
  for (const CxlDeviceFacts& device : facts.cxl_devices) {
    persistent_bytes += device.persistent_bytes;
    values.push_back(absl::StrCat(
        device.name, " ", FormatByteCount(device.persistent_bytes), " persistent, ",
        FormatByteCount(device.volatile_bytes), " volatile",
        device.numa_node.has_value() ? absl::StrCat(", node ", *device.numa_node) : ""));
  }
  DoctorCheck check{"cxl", CheckState::kOk, absl::StrJoin(values, "; "),
                    "Persistent CXL memory needs a region, a namespace in it, and a DAX mount.",
                    ""};
  if (persistent_bytes == 0) {
    check.state = CheckState::kInfo;
    check.meaning = "Volatile CXL memory is just more RAM: it extends the page cache.";
  } else if (facts.topology.regions.empty()) {
    check.state = CheckState::kInfo;
    check.meaning = "Persistent CXL memory is attached, but it has no region yet.";
    check.fix = "cxl create-region --type=pmem --memdevs " + facts.cxl_devices.front().name;
  }
  return check;
}

DoctorCheck CheckNuma(const DoctorFacts& facts) {
  if (facts.numa_nodes.empty()) {
    return {"numa", CheckState::kAbsent, "none",
            "This kernel reports no NUMA nodes: all CPUs share one memory.", ""};
  }
  std::vector<std::string> values;
  for (const NumaNode& node : facts.numa_nodes) {
    values.push_back(absl::StrCat(
        "node ", node.id, " ", FormatByteCount(node.memory_bytes), " ",
        node.cpus.empty() ? std::string("no CPUs") : "CPUs " + FormatCpuList(node.cpus)));
  }
  const auto node = facts.numa_place.memory_node.has_value() ? facts.numa_place.memory_node
                                                             : facts.numa_place.cpu_node;
  values.push_back(node.has_value() ? absl::StrCat("PATH is on node ", *node)
                                    : "the node of PATH is not known");
  DoctorCheck check{"numa", CheckState::kOk, absl::StrJoin(values, "; "), "", ""};
  if (facts.numa_nodes.size() == 1) {
    // Persistent memory may be a node of its own. It is not online as RAM, and so it is not listed.
    check.meaning = node.value_or(facts.numa_nodes[0].id) == facts.numa_nodes[0].id
                        ? "All CPUs are equally near to all memory, so placement does not matter."
                        : "The persistent memory is a node of its own, equally far from all CPUs, "
                          "so placement does not matter.";
    return check;
  }
  check.state = CheckState::kInfo;
  check.meaning = "Searches run fastest on the CPUs next to the index.";
  if (facts.numa_place.cpu_node.has_value()) {
    check.fix = absl::StrCat("numactl --cpunodebind=", *facts.numa_place.cpu_node, " pmdex ...");
  }
  return check;
}

DoctorCheck CheckHugePages(const DoctorFacts& facts) {
  const HugePages& huge = facts.huge_pages;
  if (!huge.thp_mode.has_value() && huge.pools.empty()) {
    return {"huge_pages", CheckState::kAbsent, "none",
            "This kernel maps DRAM in 4 KiB pages only; a build uses more TLB entries.", ""};
  }
  std::string value = absl::StrCat("transparent ", huge.thp_mode.value_or("none"), ", tmpfs ",
                                   huge.shmem_mode.value_or("none"));
  for (const HugePool& pool : huge.pools) {
    if (pool.pages == 0) continue;
    absl::StrAppend(&value, ", ", pool.free_pages, " of ", pool.pages, " pages of ",
                    FormatByteCount(pool.page_bytes), " free");
  }
  if (huge.thp_mode == "never") {
    return {"huge_pages", CheckState::kInfo, value,
            "A build uses 4 KiB pages, which is a little slower.",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  }
  return {"huge_pages", CheckState::kOk, value, "A build can use pages of 2 MiB.", ""};
}

DoctorCheck CheckSimd(const DoctorFacts& facts) {
  DoctorCheck check{"simd", CheckState::kOk, std::string(ToString(facts.simd)),
                    "The fastest code of pmdex runs here.", ""};
  if (facts.simd == SimdLevel::kAvx2) check.meaning = "Searches use vectors of 256 bits.";
  if (facts.simd == SimdLevel::kScalar) {
    check.state = CheckState::kInfo;
    check.meaning = "Without AVX2 pmdex gives the same answers, but several times slower.";
  }
  return check;
}

DoctorCheck CheckPmu(const DoctorFacts& facts) {
  const PmuFacts& pmu = facts.pmu;
  const std::string level = pmu.paranoid_level.has_value()
                                ? absl::StrCat(" (perf_event_paranoid ", *pmu.paranoid_level, ")")
                                : "";
  switch (pmu.state) {
    case PmuState::kWorks:
      return {"pmu", CheckState::kOk, "counts cycles" + level,
              "Profilers such as perf can break a query down by hardware counters.", ""};
    case PmuState::kAbsent:
      return {"pmu", CheckState::kAbsent, "none",
              "This machine, like most virtual ones, has no hardware counters: profilers can only "
              "measure times and page faults.",
              ""};
    case PmuState::kCountsNothing:
      return {"pmu", CheckState::kWarn, "opens, but counts nothing",
              "The virtual PMU is broken: zeros that a profiler prints were never measured.", ""};
    case PmuState::kNotPermitted:
      // Up to level 2 a process may count its own user-space cycles.
      if (pmu.paranoid_level.value_or(3) > 2) {
        return {"pmu", CheckState::kWarn, "not permitted" + level,
                "The kernel does not let this user read hardware counters.",
                "sysctl -w kernel.perf_event_paranoid=2"};
      }
      return {"pmu", CheckState::kWarn, "not permitted" + level,
              "A sandbox forbids perf_event_open, so profilers cannot read hardware counters.", ""};
    case PmuState::kUnsupported:
      break;
  }
  return {"pmu", CheckState::kAbsent,
          absl::StrCat("not supported (", ErrnoStatus(pmu.error, "perf_event_open").message(), ")"),
          "Profilers can only measure times and page faults.", ""};
}

std::string LimitText(const std::optional<uint64_t>& limit, bool bytes) {
  if (!limit.has_value()) return "unlimited";
  return bytes ? FormatByteCount(*limit) : absl::StrCat(*limit);
}

DoctorCheck CheckMaps(const DoctorFacts& facts) {
  constexpr uint64_t kLinuxDefault = 65'530;
  const auto& maps = facts.limits.max_maps;
  DoctorCheck check{"max_map_count", CheckState::kOk, maps ? absl::StrCat(*maps) : "unknown",
                    "Every open segment needs a few mappings; this limit is enough.", ""};
  if (maps.has_value() && *maps < kLinuxDefault) {
    check.state = CheckState::kWarn;
    check.meaning = "Every open segment needs a few mappings; a large index may fail to open.";
    check.fix = "sysctl -w vm.max_map_count=262144";
  }
  return check;
}

DoctorCheck CheckOpenFiles(const DoctorFacts& facts) {
  constexpr uint64_t kEnough = 1024;
  const MappingLimits& limits = facts.limits;
  DoctorCheck check{"open_files", CheckState::kOk,
                    absl::StrCat(LimitText(limits.open_files, false), " (hard limit ",
                                 LimitText(limits.open_files_hard, false), ")"),
                    "Mapped segments keep no file open; only input files need this limit.", ""};
  if (limits.open_files.value_or(kEnough) < kEnough) {
    check.state = CheckState::kWarn;
    check.meaning = "A build with many reader threads may run out of open files.";
    check.fix = "ulimit -n 65536";
  }
  return check;
}

DoctorCheck CheckLockedMemory(const DoctorFacts& facts) {
  return {"locked_memory", CheckState::kInfo, LimitText(facts.limits.locked_bytes, true),
          "pmdex locks no memory, so any limit is enough.", ""};
}

DoctorCheck CheckFileSize(const DoctorFacts& facts) {
  if (!facts.limits.file_bytes.has_value()) {
    return {"file_size", CheckState::kOk, "unlimited", "Segments can have any size.", ""};
  }
  return {"file_size", CheckState::kWarn, LimitText(facts.limits.file_bytes, true),
          "Segments are files; a segment larger than this limit cannot be written.",
          "ulimit -f unlimited"};
}

}  // namespace

std::vector<DoctorCheck> DiagnoseMachine(const DoctorFacts& facts) {
  constexpr std::array kChecks = {CheckRegions, CheckNamespaces, CheckHealth,    CheckBadBlocks,
                                  CheckCxl,     CheckNuma,       CheckHugePages, CheckSimd,
                                  CheckPmu,     CheckMaps,       CheckOpenFiles, CheckLockedMemory,
                                  CheckFileSize};
  std::vector<DoctorCheck> checks;
  for (const auto check : kChecks) checks.push_back(check(facts));
  return checks;
}

}  // namespace pmdex
