#include "pmem/freed_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/heap_counter.h"

namespace pmdex {
namespace freed_memory_test {

uint64_t ResidentBytes() {
  uint64_t total = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// With another malloc than glibc's, as with a sanitizer, one of these calls initialises the heap.
TEST(FreedMemory, SeveralThreadsMayCallAtATime) {
  constexpr int kThreads = 8;
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      ReturnFreedMemory();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(FreedMemory, LeavesWhatIsInUse) {
  std::vector<std::vector<char>> blocks;
  for (size_t i = 0; i < 1000; ++i) blocks.emplace_back(100 + i, static_cast<char>(i));
  for (size_t i = 0; i < blocks.size(); i += 2) blocks[i] = {};
  ReturnFreedMemory();
  ReturnFreedMemory();
  for (size_t i = 1; i < blocks.size(); i += 2) {
    ASSERT_EQ(blocks[i], std::vector<char>(100 + i, static_cast<char>(i)));
  }
}

// The last block, behind all others, stays in use: without it, free gives back by itself.
TEST(FreedMemory, ReturnsSmallBlocksInFrontOfOneInUse) {
#ifndef __GLIBC__
  GTEST_SKIP() << "not glibc";
#endif
  if (!PMDEX_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizers have a malloc of their own";
  constexpr size_t kBlockBytes = 1 << 10;
  constexpr size_t kBytes = 64 << 20;
  std::vector<void*> blocks(kBytes / kBlockBytes);
  for (void*& block : blocks) {
    block = std::malloc(kBlockBytes);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, kBlockBytes);
  }
  for (size_t i = 0; i + 1 < blocks.size(); ++i) std::free(blocks[i]);
  const uint64_t before = ResidentBytes();
  ReturnFreedMemory();
  EXPECT_LT(ResidentBytes() + kBytes / 2, before);
  std::free(blocks.back());
}

}  // namespace freed_memory_test
}  // namespace pmdex
