#include "engine/ingest/pipeline/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace pmdex {
namespace memory_budget_test {

TEST(MemoryBudget, GivesOutWhatItHas) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Reserve(60));
  EXPECT_TRUE(budget.Reserve(40));
  EXPECT_TRUE(budget.Reserve(0));
  EXPECT_EQ(budget.free_bytes(), 0u);
  budget.Release(100);
  EXPECT_EQ(budget.free_bytes(), 100u);
  EXPECT_EQ(budget.wait_seconds(), 0) << "nobody had to wait";
}

TEST(MemoryBudget, LetsOneWaitUntilAnotherGivesBackEnough) {
  MemoryBudget budget(100);
  ASSERT_TRUE(budget.Reserve(80));
  std::atomic<bool> released = false;
  std::thread other([&] {
    for (int i = 0; i < 80; ++i) {
      if (i == 60) released = true;
      budget.Release(1);
    }
  });
  EXPECT_TRUE(budget.Reserve(81));
  EXPECT_TRUE(released) << "it takes 61 of them";
  other.join();
  EXPECT_EQ(budget.free_bytes(), 19u);
}

TEST(MemoryBudget, IsNeverOverdrawnByManyThreads) {
  constexpr size_t kBytes = 1000;
  MemoryBudget budget(kBytes);
  std::atomic<size_t> taken = 0;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 2000; ++i) {
        const size_t bytes = 1 + random() % kBytes;
        if (!budget.Reserve(bytes)) ++failures;
        if ((taken += bytes) > kBytes) ++failures;
        taken -= bytes;
        budget.Release(bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(budget.free_bytes(), kBytes);
}

TEST(MemoryBudget, LetsNobodyWaitOnceItIsCancelled) {
  MemoryBudget budget(10);
  std::thread other([&] { budget.Cancel(); });
  EXPECT_FALSE(budget.Reserve(11)) << "which would wait for ever";
  other.join();
  EXPECT_FALSE(budget.Reserve(1));
}

}  // namespace memory_budget_test
}  // namespace pmdex
