#include "pmem/cpu_limit.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

#include "pmem/control_groups.h"
#include "pmem/numa_placement.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

void TakeQuota(std::optional<int64_t> quota_us, std::optional<int64_t> period_us,
               std::optional<uint64_t>& least) {
  // Version 1 says -1 where there is no quota.
  if (quota_us.value_or(0) <= 0 || period_us.value_or(0) <= 0) return;
  const auto quota = static_cast<uint64_t>(*quota_us);
  const auto period = static_cast<uint64_t>(*period_us);
  const uint64_t cpus = quota / period + (quota % period == 0 ? 0 : 1);
  least = std::min(least.value_or(cpus), cpus);
}

// "QUOTA PERIOD" in microseconds, of which the first may be "max".
void TakeCpuMax(std::string_view root, const std::string& file, std::optional<uint64_t>& least) {
  const std::optional<std::string> text = ReadSysText(root, file);
  if (!text.has_value()) return;
  const std::pair<std::string, std::string> words = absl::StrSplit(*text, absl::MaxSplits(' ', 1));
  int64_t quota_us = 0;
  int64_t period_us = 0;
  if (!absl::SimpleAtoi(words.first, &quota_us)) return;
  if (!absl::SimpleAtoi(words.second, &period_us)) return;
  TakeQuota(quota_us, period_us, least);
}

}  // namespace

std::optional<uint64_t> ControlGroupCpuLimit(std::string_view root) {
  std::optional<uint64_t> least;
  for (const std::string& folder : ControlGroupFolders(root, ControlGroupVersion::k2, "cpu")) {
    TakeCpuMax(root, folder + "/cpu.max", least);
  }
  for (const std::string& folder : ControlGroupFolders(root, ControlGroupVersion::k1, "cpu")) {
    TakeQuota(ReadSysInt(root, folder + "/cpu.cfs_quota_us"),
              ReadSysInt(root, folder + "/cpu.cfs_period_us"), least);
  }
  return least;
}

int UsableCpus(std::string_view root) {
  const auto allowed = AllowedCpus();
  const uint64_t cpus =
      std::max<uint64_t>(1, allowed.ok() ? allowed->size() : std::thread::hardware_concurrency());
  return static_cast<int>(std::min(cpus, ControlGroupCpuLimit(root).value_or(cpus)));
}

}  // namespace pmdex
