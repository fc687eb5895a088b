#include "tools/bound_to_cpu.h"

#include "pmem/numa_placement.h"

namespace pmdex {

BoundToCpu::BoundToCpu(const std::vector<int>& cpus, size_t thread) {
  if (cpus.empty()) return;
  auto before = AllowedCpus();
  if (!before.ok()) return;
  before_ = *std::move(before);
  const std::vector<int> one = {cpus[thread % cpus.size()]};
  (void)RunOnCpus(one);
}

BoundToCpu::~BoundToCpu() {
  if (!before_.empty()) (void)RunOnCpus(before_);
}

}  // namespace pmdex
