#include "pmem/huge_pages.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>

#include "pmem/sysfs.h"

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

}  // namespace

HugePages ReadHugePages(std::string_view root) {
  HugePages facts;
  facts.thp_mode = ReadSysChoice(root, "sys/kernel/mm/transparent_hugepage/enabled");
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
