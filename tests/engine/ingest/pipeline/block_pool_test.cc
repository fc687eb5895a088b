#include "engine/ingest/pipeline/block_pool.h"

#include <thread>

#include "gtest/gtest.h"

namespace pmdex {
namespace block_pool_test {

TEST(BlockPool, GivesABlockAgainCleanAfterItCameBack) {
  BlockPool pool(1000, 1);
  BlockPtr block = pool.Acquire();
  const char* bytes = block->bytes;
  block->size = 10;
  block->begin = 3;
  block->first_line = 7;
  block->files.push_back({});
  block.reset();
  block = pool.Acquire();
  EXPECT_EQ(block->bytes, bytes);
  EXPECT_EQ(block->text(), "");
  EXPECT_TRUE(block->files.empty());
  EXPECT_EQ(block->first_line, 1u);
  EXPECT_EQ(pool.wait_seconds(), 0) << "nobody had to wait";
}

TEST(BlockPool, KnowsHowLongThreadsWaited) {
  BlockPool pool(1000, 1);
  std::thread other([&] {
    while (pool.Acquire() != nullptr) std::this_thread::yield();
  });
  while (pool.wait_seconds() == 0) pool.Acquire();
  pool.Cancel();
  other.join();
}

TEST(BlockPool, WaitsForABlockToComeBack) {
  BlockPool pool(1000, 1);
  BlockPtr block = pool.Acquire();
  BlockPtr second;
  std::thread waiter([&] { second = pool.Acquire(); });
  block.reset();
  waiter.join();
  EXPECT_NE(second, nullptr);
}

TEST(BlockPool, HasOneOversizeBlockAtATime) {
  BlockPool pool(1000, 1);
  BlockPtr big = pool.AcquireOversize(size_t{1} << 20);
  EXPECT_GE(big->capacity, size_t{1} << 20);
  BlockPtr second;
  std::thread waiter([&] { second = pool.AcquireOversize(1); });
  big.reset();
  waiter.join();
  ASSERT_NE(second, nullptr);
  EXPECT_GT(second->capacity, pool.block_bytes());
  EXPECT_EQ(pool.TryAcquireOversize(5000), nullptr);
  second.reset();
  EXPECT_NE(pool.TryAcquireOversize(5000), nullptr);
}

TEST(BlockPool, EndsEveryWaitWhenItIsCancelled) {
  BlockPool pool(1000, 1);
  const BlockPtr block = pool.Acquire();
  const BlockPtr big = pool.AcquireOversize(5000);
  std::thread one([&] { EXPECT_EQ(pool.Acquire(), nullptr); });
  std::thread two([&] { EXPECT_EQ(pool.AcquireOversize(5000), nullptr); });
  pool.Cancel();
  one.join();
  two.join();
}

}  // namespace block_pool_test
}  // namespace pmdex
