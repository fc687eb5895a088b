#include "tools/profile/simulated_run.h"

#include <array>
#include <cstdint>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace simulated_run_test {

void WriteCache(const TemporaryDirectory& root, int index, const char* level, const char* type,
                const char* size, const char* ways) {
  const std::string folder =
      "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
  root.Write(folder + "level", level);
  root.Write(folder + "type", type);
  root.Write(folder + "size", size);
  root.Write(folder + "ways_of_associativity", ways);
}

TEST(SimulatedRun, TakesTheCachesOfTheCpu) {
  const TemporaryDirectory root;
  WriteCache(root, 0, "1\n", "Data\n", "48K\n", "12\n");
  WriteCache(root, 1, "1\n", "Instruction\n", "32K\n", "8\n");
  WriteCache(root, 2, "2\n", "Unified\n", "2048K\n", "16\n");
  WriteCache(root, 3, "3\n", "Unified\n", "36M\n", "12\n");
  const CacheSizes caches = FindCacheSizes(root.path() + "/");
  EXPECT_EQ(CacheFlag(caches.d1), "49152,12,64");
  EXPECT_EQ(CacheFlag(caches.i1), "32768,8,64");
  // 49,152 sets are no power of two: the simulator gets 32,768.
  EXPECT_EQ(CacheFlag(caches.ll), "25165824,12,64");
  EXPECT_TRUE(caches.ll.is_changed);
  EXPECT_FALSE(caches.d1.is_changed);
  EXPECT_FALSE(caches.d1.is_assumed || caches.i1.is_assumed || caches.ll.is_assumed);
  EXPECT_EQ(CachesInWords(caches),
            "I1 32768,8,64; D1 49152,12,64; LL 25165824,12,64, smaller than the CPU's");
}

std::array<uint32_t, 4> NoCpuid(uint32_t /*leaf*/, uint32_t /*subleaf*/) {
  return {};
}

// A first level of data of 16 KiB and a third level of 64 MiB, each with 4 ways.
std::array<uint32_t, 4> TwoCaches(uint32_t leaf, uint32_t subleaf) {
  constexpr uint32_t kShape = 3u << 22 | 63;
  if (leaf != 4 || subleaf > 1) return {};
  if (subleaf == 0) return {1u << 5 | 1, kShape, 63, 0};
  return {3u << 5 | 3, kShape, (1u << 18) - 1, 0};
}

TEST(SimulatedRun, SaysWhichSizesItAssumes) {
  const TemporaryDirectory root;
  const CacheSizes caches = FindCacheSizes(root.path() + "/", NoCpuid);
  EXPECT_EQ(CacheFlag(caches.ll), "33554432,16,64");
  EXPECT_TRUE(caches.d1.is_assumed && caches.i1.is_assumed && caches.ll.is_assumed);
  const std::string words = CachesInWords(caches);
  EXPECT_NE(words.find("LL 33554432,16,64, assumed: neither /sys nor CPUID tells it"),
            std::string::npos)
      << words;
}

TEST(SimulatedRun, TakesSizesOfCpuidWhereTheKernelTellsNone) {
  const TemporaryDirectory root;
  const CacheSizes caches = FindCacheSizes(root.path() + "/", TwoCaches);
  EXPECT_EQ(CacheFlag(caches.d1), "16384,4,64");
  EXPECT_EQ(CacheFlag(caches.ll), "67108864,4,64");
  EXPECT_TRUE(caches.i1.is_assumed);
  EXPECT_FALSE(caches.d1.is_assumed || caches.ll.is_assumed);
  // The kernel knows better than CPUID of a virtual machine.
  WriteCache(root, 0, "2\n", "Unified\n", "1M\n", "8\n");
  EXPECT_EQ(CacheFlag(FindCacheSizes(root.path() + "/", TwoCaches).ll), "1048576,8,64");
  EXPECT_EQ(CacheFlag(FindCacheSizes(root.path() + "/", TwoCaches).d1), "16384,4,64");
}

}  // namespace simulated_run_test
}  // namespace pmdex
