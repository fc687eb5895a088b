#include "pmem/numa_placement.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pmem/numa_library.h"

namespace pmdex {
namespace {

bool HasMemoryPolicy() {
  int mode = MPOL_DEFAULT;
  return syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) == 0 && mode != MPOL_DEFAULT;
}

// A CPU set of any size, because a machine may have more CPUs than CPU_SETSIZE.
class CpuSet {
 public:
  explicit CpuSet(int cpus) : cpus_(cpus), set_(CPU_ALLOC(static_cast<size_t>(cpus))) {
    if (set_ != nullptr) CPU_ZERO_S(bytes(), set_);
  }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;

  cpu_set_t* get() const { return set_; }
  int cpus() const { return cpus_; }
  size_t bytes() const { return CPU_ALLOC_SIZE(static_cast<size_t>(cpus_)); }

 private:
  const int cpus_;
  cpu_set_t* const set_;
};

constexpr int kMostCpus = 1 << 16;

}  // namespace

std::vector<NumaNode> UsableNumaNodes() {
  const auto allowed = AllowedCpus();
  if (!allowed.ok() || HasMemoryPolicy()) return {};
  return KeepUsable(ReadNumaNodes(), *allowed);
}

std::vector<NumaNode> KeepUsable(std::vector<NumaNode> nodes, std::span<const int> allowed_cpus) {
  for (NumaNode& node : nodes) {
    std::erase_if(node.cpus, [&](int cpu) {
      return !std::binary_search(allowed_cpus.begin(), allowed_cpus.end(), cpu);
    });
  }
  std::erase_if(nodes, [](const NumaNode& node) { return node.cpus.empty(); });
  if (nodes.size() < 2) nodes.clear();
  return nodes;
}

std::optional<int> NodeOfMedium(const Directory& directory, std::string_view root) {
  if (directory.granularity() == StoreGranularity::kPage) return std::nullopt;
  const auto place = FindNumaPlace(directory.path(), root);
  if (!place.ok()) return std::nullopt;  // memory of this process, say
  return place->NearestNode();
}

absl::StatusOr<std::vector<int>> AllowedCpus() {
  for (int cpus = CPU_SETSIZE; cpus <= kMostCpus; cpus *= 2) {
    const CpuSet set(cpus);
    if (set.get() == nullptr) return MakeStatus(absl::StatusCode::kResourceExhausted, "CPU set");
    if (sched_getaffinity(0, set.bytes(), set.get()) == 0) {
      std::vector<int> allowed;
      for (int cpu = 0; cpu < cpus; ++cpu) {
        if (CPU_ISSET_S(static_cast<size_t>(cpu), set.bytes(), set.get())) allowed.push_back(cpu);
      }
      return allowed;
    }
    if (errno != EINVAL) break;  // the kernel has more CPUs than fit
  }
  return ErrnoStatus(errno, "CPUs of a thread");
}

absl::Status RunOnCpus(std::span<const int> cpus) {
  if (cpus.empty()) return InvalidArgument("a thread needs a CPU");
  const CpuSet set(std::max(*std::max_element(cpus.begin(), cpus.end()) + 1, CPU_SETSIZE));
  if (set.get() == nullptr) return MakeStatus(absl::StatusCode::kResourceExhausted, "CPU set");
  for (const int cpu : cpus) CPU_SET_S(static_cast<size_t>(cpu), set.bytes(), set.get());
  if (sched_setaffinity(0, set.bytes(), set.get()) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "CPUs " + FormatCpuList({cpus.begin(), cpus.end()}));
}

absl::StatusOr<std::vector<int>> NodesOfPages(std::span<const void* const> addresses) {
  std::vector<int> nodes(addresses.size(), -1);
  if (addresses.empty()) return nodes;
  PMDEX_ASSIGN_OR_RETURN(const NumaLibrary* const numa, LoadNuma());
  std::vector<void*> pages;
  for (const void* address : addresses) pages.push_back(const_cast<void*>(address));
  // Without target nodes move_pages moves nothing and only returns the nodes.
  if (numa->move_pages(0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) {
    if (errno == ENOSYS) {
      return MakeStatus(absl::StatusCode::kUnimplemented, "this kernel has no NUMA");
    }
    return ErrnoStatus(errno, "nodes of pages");
  }
  for (int& node : nodes) node = std::max(node, -1);
  return nodes;
}

}  // namespace pmdex
