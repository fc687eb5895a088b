#include "tools/profile/simulated_run.h"

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
}

TEST(SimulatedRun, HasSizesWhereTheKernelTellsNone) {
  const TemporaryDirectory root;
  EXPECT_EQ(CacheFlag(FindCacheSizes(root.path() + "/").ll), "33554432,16,64");
}

}  // namespace simulated_run_test
}  // namespace pmdex
