// The caches of this CPU as the instruction CPUID describes them: leaf 4 of Intel, or leaf
// 0x8000001D of AMD, which has the same form. For where the kernel tells nothing. Thread-safe: no
// state.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace pmdex {

// The registers eax, ebx, ecx and edx for a leaf and subleaf; zeros if the CPU lacks the leaf.
using CpuidLeaf = std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t subleaf)>;

std::array<uint32_t, 4> CpuidOfThisCpu(uint32_t leaf, uint32_t subleaf);

// As CPUID or the kernel describes it.
struct CpuCache {
  uint32_t level = 0;
  bool has_data = false;
  bool has_instructions = false;
  uint64_t bytes = 0;
  uint64_t ways = 0;
};

// In the order of the subleaves; empty if neither leaf has any.
std::vector<CpuCache> CachesByCpuid(const CpuidLeaf& cpuid);

}  // namespace pmdex
