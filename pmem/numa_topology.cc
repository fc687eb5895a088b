#include "pmem/numa_topology.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "pmem/numa_library.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

std::vector<int> CpusOfNode(const NumaLibrary& numa, int node) {
  const std::unique_ptr<bitmask, void (*)(bitmask*)> mask(numa.allocate_cpumask(),
                                                          numa.bitmask_free);
  std::vector<int> cpus;
  if (mask == nullptr || numa.node_to_cpus(node, mask.get()) != 0) return cpus;
  for (unsigned cpu = 0; cpu < mask->size; ++cpu) {
    if (numa.bitmask_isbitset(mask.get(), cpu) != 0) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<int> ReadNode(const std::filesystem::path& device, const char* name) {
  const auto node = ReadSysInt(device.string(), name);
  if (!node.has_value() || *node < 0) return std::nullopt;
  return static_cast<int>(*node);
}

}  // namespace

std::vector<NumaNode> ReadNumaNodes() {
  std::vector<NumaNode> nodes;
  const auto library = LoadNuma();
  if (!library.ok() || (*library)->available() < 0) return nodes;
  const NumaLibrary& numa = **library;
  for (int id = 0; id <= numa.max_node(); ++id) {
    long long free_bytes = 0;
    const long long memory_bytes = numa.node_size64(id, &free_bytes);
    std::vector<int> cpus = CpusOfNode(numa, id);
    if (memory_bytes < 0 && cpus.empty()) continue;  // a hole in the numbering
    nodes.push_back({id, memory_bytes < 0 ? 0 : static_cast<uint64_t>(memory_bytes),
                     free_bytes < 0 ? 0 : static_cast<uint64_t>(free_bytes), std::move(cpus)});
  }
  return nodes;
}

NumaPlace FindNumaPlaceOfDevice(unsigned major, unsigned minor, std::string_view root) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path link =
      fs::path(root) / "sys/dev/block" / (std::to_string(major) + ":" + std::to_string(minor));
  fs::path device = fs::canonical(link, error);
  NumaPlace place;
  if (error) return place;
  // A device above the disk has the attributes: the namespace or the PCI function.
  const fs::path top = fs::canonical(fs::path(root) / "sys", error);
  for (; !error && device != top && device.has_relative_path(); device = device.parent_path()) {
    if (!place.memory_node.has_value()) place.memory_node = ReadNode(device, "target_node");
    if (!place.cpu_node.has_value()) place.cpu_node = ReadNode(device, "numa_node");
  }
  return place;
}

absl::StatusOr<NumaPlace> FindNumaPlace(const std::string& path, std::string_view root) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return ErrnoStatus(errno, path);
  return FindNumaPlaceOfDevice(major(facts.st_dev), minor(facts.st_dev), root);
}

std::string FormatCpuList(const std::vector<int>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace pmdex
