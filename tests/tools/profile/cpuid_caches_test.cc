#include "tools/profile/cpuid_caches.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace cpuid_caches_test {

using Words = std::array<uint32_t, 4>;

// ebx: ways, partitions of a line, and bytes of a line, each less one.
uint32_t Shape(uint32_t ways, uint32_t line_bytes) {
  return (ways - 1) << 22 | (line_bytes - 1);
}

// A Sapphire Rapids: 48 KiB, 32 KiB, 2 MiB, 105 MiB.
Words Intel(uint32_t leaf, uint32_t subleaf) {
  if (leaf != 4) return {};
  switch (subleaf) {
    case 0:
      return {0xfc004121, Shape(12, 64), 63, 0};
    case 1:
      return {0xfc004122, Shape(8, 64), 63, 0};
    case 2:
      return {0xfc01c143, Shape(16, 64), 2047, 0};
    case 3:
      return {0xfc1fc163, Shape(15, 64), 114687, 4};
    default:
      return {};
  }
}

TEST(CpuidCaches, AreThoseOfLeaf4) {
  const std::vector<CpuCache> caches = CachesByCpuid(Intel);
  ASSERT_EQ(caches.size(), 4u);
  EXPECT_EQ(caches[0].level, 1u);
  EXPECT_TRUE(caches[0].has_data && !caches[0].has_instructions);
  EXPECT_EQ(caches[0].bytes, 48u << 10);
  EXPECT_EQ(caches[0].ways, 12u);
  EXPECT_TRUE(caches[1].has_instructions && !caches[1].has_data);
  EXPECT_EQ(caches[2].level, 2u);
  EXPECT_EQ(caches[2].bytes, 2u << 20);
  EXPECT_TRUE(caches[3].has_data && caches[3].has_instructions);
  EXPECT_EQ(caches[3].bytes, 105u << 20);
  EXPECT_EQ(caches[3].ways, 15u);
}

TEST(CpuidCaches, AreThoseOfAmdsLeafWhereLeaf4IsEmpty) {
  const auto amd = [](uint32_t leaf, uint32_t subleaf) -> Words {
    return leaf == 0x8000001d ? Intel(4, subleaf) : Words{};
  };
  EXPECT_EQ(CachesByCpuid(amd).size(), 4u);
  EXPECT_TRUE(CachesByCpuid([](uint32_t, uint32_t) { return Words{}; }).empty());
  // A hypervisor that answers the same for each subleaf ends, too.
  EXPECT_LE(CachesByCpuid([](uint32_t, uint32_t) { return Intel(4, 0); }).size(), 16u);
}

TEST(CpuidCaches, OfThisCpuHaveSizesAndWays) {
  for (const CpuCache& cache : CachesByCpuid(CpuidOfThisCpu)) {
    EXPECT_GE(cache.level, 1u);
    EXPECT_GE(cache.bytes, 1024u);
    EXPECT_GE(cache.ways, 1u);
    EXPECT_TRUE(cache.has_data || cache.has_instructions);
  }
}

}  // namespace cpuid_caches_test
}  // namespace pmdex
