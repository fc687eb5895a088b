#include "engine/memtable/chunk_pool.h"

#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "gtest/gtest.h"

#include "engine/memtable/arena.h"

namespace pmdex {
namespace chunk_pool_test {

TEST(ChunkPool, GivesBackWhatWasReturnedToTheSameLaneOnly) {
  ChunkPool pool;
  HugeBuffer chunk = pool.Take(1);
  std::memset(chunk.data(), 7, 100);
  const std::byte* const address = chunk.data();
  pool.Return(1, std::move(chunk));
  EXPECT_EQ(pool.held_bytes(), ChunkPool::kChunkBytes);
  const HugeBuffer of_other_lane = pool.Take(0);
  EXPECT_NE(of_other_lane.data(), address);
  EXPECT_EQ(of_other_lane.data()[0], std::byte{0});
  const HugeBuffer again = pool.Take(1);
  EXPECT_EQ(again.data(), address);
  EXPECT_EQ(again.data()[0], std::byte{7});
  EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST(ChunkPool, HoldsNoMoreThanItWasTrimmedTo) {
  ChunkPool pool;
  for (size_t lane = 0; lane < 4; ++lane) pool.Return(lane, HugeBuffer(ChunkPool::kChunkBytes));
  pool.TrimTo(3 * ChunkPool::kChunkBytes - 1);
  EXPECT_EQ(pool.held_bytes(), 2 * ChunkPool::kChunkBytes);
  pool.TrimTo(0);
  EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST(ChunkPool, TellsAThreadThatWaitsWhenAChunkIsTaken) {
  ChunkPool pool;
  pool.Take(2);
  pool.Return(2, pool.Take(2));
  pool.Take(0);
  EXPECT_EQ(pool.taken(2), 2u);
  EXPECT_EQ(pool.taken(1), 0u);
  EXPECT_EQ(pool.taken(9), 0u);
  EXPECT_EQ(pool.held(2), 1u);
  EXPECT_EQ(pool.held(9), 0u);
  EXPECT_EQ(pool.AwaitTake(0), 3u);
  std::optional<uint64_t> then;
  std::thread waiter([&] { then = pool.AwaitTake(3); });
  pool.Take(5);
  waiter.join();
  EXPECT_EQ(then, 4u);
  std::thread ended([&] { then = pool.AwaitTake(4); });
  pool.EndWaiting();
  ended.join();
  EXPECT_EQ(then, std::nullopt);
}

TEST(ChunkPool, GetsTheChunksOfAnArenaThatDies) {
  ChunkPool pool;
  {
    Arena arena(&pool);
    for (int i = 0; i < 5; ++i) arena.Allocate(Arena::kChunkBytes / 2 + 1);
    EXPECT_EQ(pool.held_bytes(), 0u);
  }
  EXPECT_EQ(pool.held_bytes(), 5 * ChunkPool::kChunkBytes);
}

}  // namespace chunk_pool_test
}  // namespace pmdex
