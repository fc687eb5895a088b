#include "pmem/huge_pages.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "absl/strings/str_cat.h"

#include "pmem/sysfs.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

uint64_t CountOrZero(std::string_view root, const std::string& path) {
  return static_cast<uint64_t>(std::max<int64_t>(0, ReadSysInt(root, path).value_or(0)));
}

// "hugepages-2048kB" names a pool of 2 MiB pages.
std::optional<uint64_t> PageBytesOfPool(std::string_view name) {
  constexpr std::string_view kPrefix = "hugepages-";
  if (!name.starts_with(kPrefix) || !name.ends_with("kB")) return std::nullopt;
  uint64_t kib = 0;
  const auto parsed = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), kib);
  if (parsed.ec != std::errc() || kib == 0) return std::nullopt;
  return kib * 1024;
}

std::optional<uint64_t> Limit(rlim_t value) {
  if (value == RLIM_INFINITY) return std::nullopt;
  return uint64_t{value};
}

constexpr char kThpMode[] = "sys/kernel/mm/transparent_hugepage/enabled";

bool ForbidsHugePages() {
  return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
}

absl::Status ForbidHugePages(bool forbid) {
  if (prctl(PR_SET_THP_DISABLE, forbid ? 1 : 0, 0, 0, 0) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "huge pages of this process");
}

}  // namespace

absl::StatusOr<HugePageUse> ParseHugePageUse(std::string_view name) {
  for (const HugePageUse use : {HugePageUse::kAuto, HugePageUse::kOn, HugePageUse::kOff}) {
    if (name == ToString(use)) return use;
  }
  return InvalidArgument(absl::StrCat("huge pages are auto, on or off, not '", ToAbsl(name), "'"));
}

std::string_view ToString(HugePageUse use) {
  switch (use) {
    case HugePageUse::kAuto:
      return "auto";
    case HugePageUse::kOn:
      return "on";
    case HugePageUse::kOff:
      return "off";
  }
  return "unknown";
}

absl::StatusOr<HugePageScope> HugePageScope::Open(HugePageUse use, std::string_view root) {
  if (use == HugePageUse::kOn) {
    const auto mode = ReadSysChoice(root, kThpMode);
    if (!mode.has_value() || *mode == "never") {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat("huge pages on: this kernel gives none, /", kThpMode, " is ",
                                     mode.value_or("missing")));
    }
  }
  const bool forbidden = ForbidsHugePages();
  const bool forbid = use == HugePageUse::kOff;
  if (use == HugePageUse::kAuto || forbid == forbidden) return HugePageScope(std::nullopt);
  PMDEX_RETURN_IF_ERROR(ForbidHugePages(forbid));
  return HugePageScope(forbidden);
}

// Cannot fail, because this value was set before.
HugePageScope::~HugePageScope() {
  if (restored_.has_value()) ForbidHugePages(*restored_).IgnoreError();
}

HugePages ReadHugePages(std::string_view root) {
  HugePages facts;
  facts.thp_mode = ReadSysChoice(root, kThpMode);
  facts.shmem_mode = ReadSysChoice(root, "sys/kernel/mm/transparent_hugepage/shmem_enabled");
  const std::string pools = "sys/kernel/mm/hugepages";
  for (const std::string& name : ListSysNames(root, pools)) {
    const std::optional<uint64_t> page_bytes = PageBytesOfPool(name);
    if (!page_bytes.has_value()) continue;
    const std::string pool = pools + "/" + name;
    facts.pools.push_back({*page_bytes, CountOrZero(root, pool + "/nr_hugepages"),
                           CountOrZero(root, pool + "/free_hugepages")});
  }
  std::sort(facts.pools.begin(), facts.pools.end(),
            [](const auto& a, const auto& b) { return a.page_bytes < b.page_bytes; });
  return facts;
}

MappingLimits ReadMappingLimits(std::string_view root) {
  MappingLimits limits;
  const auto max_maps = ReadSysInt(root, "proc/sys/vm/max_map_count");
  if (max_maps.has_value() && *max_maps >= 0) limits.max_maps = static_cast<uint64_t>(*max_maps);
  rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) limits.locked_bytes = Limit(limit.rlim_cur);
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0) limits.file_bytes = Limit(limit.rlim_cur);
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limits.open_files = Limit(limit.rlim_cur);
    limits.open_files_hard = Limit(limit.rlim_max);
  }
  return limits;
}

}  // namespace pmdex
