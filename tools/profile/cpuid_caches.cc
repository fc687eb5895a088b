#include "tools/profile/cpuid_caches.h"

#include <cpuid.h>

namespace pmdex {
namespace {

constexpr uint32_t kMostCaches = 16;

// Bits [low, low + count) of a register.
uint64_t Bits(uint32_t word, uint32_t low, uint32_t count) {
  return word >> low & ((uint32_t{1} << count) - 1);
}

std::vector<CpuCache> CachesOfLeaf(const CpuidLeaf& cpuid, uint32_t leaf) {
  std::vector<CpuCache> caches;
  for (uint32_t i = 0; i < kMostCaches; ++i) {
    const auto [eax, ebx, ecx, edx] = cpuid(leaf, i);
    const uint64_t type = Bits(eax, 0, 5);  // 1: data, 2: instructions, 3: both
    if (type == 0) break;
    if (type > 3) continue;
    const uint64_t line_bytes = Bits(ebx, 0, 12) + 1;
    const uint64_t partitions = Bits(ebx, 12, 10) + 1;
    CpuCache cache;
    cache.level = static_cast<uint32_t>(Bits(eax, 5, 3));
    cache.has_data = type != 2;
    cache.has_instructions = type != 1;
    cache.ways = Bits(ebx, 22, 10) + 1;
    cache.bytes = cache.ways * partitions * line_bytes * (uint64_t{ecx} + 1);
    caches.push_back(cache);
  }
  return caches;
}

}  // namespace

std::array<uint32_t, 4> CpuidOfThisCpu(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> words = {};
  if (__get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]) == 0) return {};
  return words;
}

std::vector<CpuCache> CachesByCpuid(const CpuidLeaf& cpuid) {
  std::vector<CpuCache> caches = CachesOfLeaf(cpuid, 4);
  return caches.empty() ? CachesOfLeaf(cpuid, 0x8000001d) : caches;
}

}  // namespace pmdex
