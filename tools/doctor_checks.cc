#include "tools/doctor_checks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

#include "pmem/directory.h"
#include "pmem/text.h"
#include "tools/doctor_machine_checks.h"

namespace pmdex {
namespace {

bool OnMemory(const PlaceFacts& place) {
  const std::string& fs = place.mount.filesystem;
  return fs == "tmpfs" || fs == "ramfs" || fs == "devtmpfs";
}

bool OnPmemDevice(const PlaceFacts& place) {
  return place.mount.device.starts_with("/dev/pmem");
}

std::string Plural(uint64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

DoctorCheck CheckFilesystem(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  DoctorCheck check{"filesystem", CheckState::kOk, "", "", ""};
  if (place.mount.filesystem.empty()) {
    check.value = "unknown";
  } else {
    check.value = absl::StrCat(place.mount.filesystem, " (", place.mount.device, " on ",
                               place.mount.mount_point, "), ", FormatByteCount(place.free_bytes),
                               " free of ", FormatByteCount(place.total_bytes));
  }
  if (!place.writable.ok()) {
    check.state = CheckState::kWarn;
    check.meaning = absl::StrCat("Nothing can be created here (", place.writable.message(),
                                 "): an existing index can be searched, but none can be built.");
    if (place.mount.options.starts_with("ro")) {
      check.fix = "mount -o remount,rw " + place.mount.mount_point;
    }
  } else if (OnMemory(place)) {
    check.state = CheckState::kInfo;
    check.meaning = "Files live in RAM: they survive the process, not a reboot or a power cut.";
  } else {
    check.meaning =
        "Published documents survive a power cut if this file system and its disk honour fsync.";
  }
  return check;
}

DoctorCheck CheckMountOptions(const DoctorFacts& facts) {
  const std::string& options = facts.place.mount.options;
  return {"mount_options", options.empty() ? CheckState::kAbsent : CheckState::kInfo,
          options.empty() ? "unknown" : options,
          "Of these, only dax changes what pmdex does; the next two checks test if it works.", ""};
}

DoctorCheck CheckDax(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  if (place.dax) {
    return {"dax", CheckState::kOk, "yes",
            "Mapped files are the medium itself: no page cache, no copy, no eviction.", ""};
  }
  if (OnPmemDevice(place)) {
    return {"dax", CheckState::kWarn, "no, although the device is persistent memory",
            "Files go through the page cache, which hides the persistent memory below.",
            absl::StrCat("umount ", place.mount.mount_point, " && mount -o dax=always ",
                         place.mount.device, " ", place.mount.mount_point)};
  }
  if (OnMemory(place)) {
    return {"dax", CheckState::kAbsent, "no",
            "Files exist only in the page cache and are read at the speed of DRAM.", ""};
  }
  return {"dax", CheckState::kAbsent, "no",
          "Files are read through the page cache: from disk at first, as fast as DRAM once cached.",
          ""};
}

DoctorCheck CheckMapSync(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  if (place.map_sync) {
    return {"map_sync", CheckState::kOk, "yes",
            "A write is durable once its cache line is flushed: pmdex writes without system calls.",
            ""};
  }
  if (place.dax) {
    return {"map_sync", CheckState::kWarn, "no, although files are DAX",
            "This medium (virtio-pmem is one) cannot be flushed from user space, so pmdex makes "
            "writes durable with fsync.",
            ""};
  }
  if (OnMemory(place)) {
    return {"map_sync", CheckState::kAbsent, "no", "Nothing can be durable here: files are in RAM.",
            ""};
  }
  return {"map_sync", CheckState::kAbsent, "no", "pmdex makes writes durable with fsync.", ""};
}

DoctorCheck CheckGranularity(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  DoctorCheck check{"granularity", CheckState::kOk, std::string(ToString(place.granularity)), "",
                    ""};
  switch (place.granularity) {
    case StoreGranularity::kByte:
      check.meaning = "A power cut does not lose CPU caches (eADR), so nothing needs a flush.";
      break;
    case StoreGranularity::kCacheLine:
      check.meaning = "pmdex bypasses the CPU caches and fences; no page is ever written back.";
      break;
    case StoreGranularity::kPage:
      check.state = CheckState::kInfo;
      check.meaning = "The kernel writes back whole pages; pmdex requests that once per segment.";
      break;
  }
  if (place.granularity_forced) {
    check.state = CheckState::kWarn;
    check.value += " (forced by PMEM2_FORCE_GRANULARITY)";
    check.meaning =
        "The environment overrides what the medium reports, so writes may not be durable.";
    check.fix = "unset PMEM2_FORCE_GRANULARITY";
  }
  if (!place.libpmem2.ok()) {
    check.state = CheckState::kWarn;
    check.meaning =
        "libpmem2 is missing or unusable: an index here can be searched, but none can be built.";
    check.fix = "apt-get install libpmem2-1";
  }
  return check;
}

std::string MkfsFor(const MountFacts& mount) {
  if (mount.filesystem == "xfs") return "mkfs.xfs -f -d su=2m,sw=1 " + mount.device;
  if (mount.filesystem == "ext4") {
    return "mkfs.ext4 -b 4096 -E stride=512,stripe_width=512 " + mount.device;
  }
  return "";
}

// True if the file system was created to align files to 2 MiB. Without that, ext4 and xfs align
// some files by chance (small ones whose size is a power of two) and others not.
bool AlignsByDesign(const MountFacts& mount) {
  const bool xfs = mount.filesystem == "xfs";
  if (!xfs && mount.filesystem != "ext4") return true;  // others are judged by the probe file alone
  const std::string_view name = xfs ? "sunit=" : "stripe=";
  const uint64_t unit_bytes = xfs ? 512 : 4096;  // DAX needs blocks of a page
  for (const absl::string_view option : absl::StrSplit(mount.options, ',')) {
    uint64_t units = 0;
    if (absl::StartsWith(option, ToAbsl(name)) &&
        absl::SimpleAtoi(option.substr(name.size()), &units)) {
      return units > 0 && units * unit_bytes % kHugePageBytes == 0;
    }
  }
  return false;
}

DoctorCheck CheckHugeMapping(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  if (!place.extents.has_value()) {
    return {"huge_mapping", CheckState::kAbsent, "not applicable",
            "This file system does not tell where its blocks are, or has no room for a probe.", ""};
  }
  const auto [pieces, aligned] = *place.extents;
  std::string value =
      absl::StrCat(aligned, " of ", pieces, " pieces of a new file are aligned to 2 MiB");
  if (!place.dax) {
    return {"huge_mapping", CheckState::kInfo, value,
            "Alignment only matters on DAX: the page cache uses its own page sizes.", ""};
  }
  const bool by_design = AlignsByDesign(place.mount);
  if (aligned == pieces && by_design) {
    return {"huge_mapping", CheckState::kOk, value,
            "One page fault maps 2 MiB, and one TLB entry covers it.", ""};
  }
  if (!by_design)
    absl::StrAppend(&value, "; this ", place.mount.filesystem, " does not align files");
  return {"huge_mapping", CheckState::kWarn, value,
          "DAX maps files that are not aligned in 4 KiB pages, with 512 times the page faults; to "
          "change that, create the file system again (which erases it).",
          MkfsFor(place.mount)};
}

std::string SummaryOfPlace(const DoctorFacts& facts) {
  const PlaceFacts& place = facts.place;
  if (place.dax && place.map_sync) {
    return absl::StrCat(place.path,
                        " is on persistent memory: pmdex stores and searches there directly (",
                        ToAbsl(ToString(place.granularity)), " granularity).");
  }
  if (place.dax) {
    return absl::StrCat(place.path,
                        " is mapped directly (DAX), but without MAP_SYNC: searches run "
                        "at memory speed, and fsync makes writes durable.");
  }
  const std::string how =
      OnMemory(place) ? "files here live in RAM and are gone after a reboot."
                      : "files are read through the page cache, and fsync makes them durable.";
  if (!facts.topology.regions.empty()) {
    return absl::StrCat("This machine has persistent memory, but ", place.path,
                        " is not on a DAX mount of it: ", how);
  }
  return "No persistent memory here: pmdex works in any directory; " + how;
}

}  // namespace

std::vector<DoctorCheck> DiagnoseDoctorFacts(const DoctorFacts& facts) {
  constexpr std::array kChecks = {CheckFilesystem, CheckMountOptions, CheckDax,
                                  CheckMapSync,    CheckGranularity,  CheckHugeMapping};
  std::vector<DoctorCheck> checks;
  for (const auto check : kChecks) checks.push_back(check(facts));
  for (DoctorCheck& check : DiagnoseMachine(facts)) checks.push_back(std::move(check));
  return checks;
}

std::string DoctorSummary(const DoctorFacts& facts, const std::vector<DoctorCheck>& checks) {
  const auto warnings = std::count_if(checks.begin(), checks.end(), [](const DoctorCheck& check) {
    return check.state == CheckState::kWarn;
  });
  std::string summary = SummaryOfPlace(facts);
  if (warnings > 0) summary += " " + Plural(static_cast<uint64_t>(warnings), "warning") + ".";
  return summary;
}

}  // namespace pmdex
