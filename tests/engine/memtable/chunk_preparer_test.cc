#include "engine/memtable/chunk_preparer.h"

#include <sys/mman.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace chunk_preparer_test {

// What a build does: takes chunks for a group until so many were taken.
std::vector<HugeBuffer> TakeUntil(ChunkPool& pool, size_t group, uint64_t taken) {
  std::vector<HugeBuffer> chunks;
  while (pool.taken(group) < taken) chunks.push_back(pool.Take(group));
  return chunks;
}

void AwaitHeld(const ChunkPool& pool, size_t group, size_t held) {
  while (pool.held(group) != held) std::this_thread::yield();
}

TEST(ChunkPreparer, KeepsChunksWithMemoryForEachGroupThatTakesMany) {
  if (madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "the kernel cannot populate";
  ChunkPool pool;
  std::vector<size_t> entered;  // by the thread; read when it has ended
  {
    const ChunkPreparer preparer(pool, {{2, 1, 3},
                                        [] { return size_t{1} << 30; },
                                        [&entered](size_t group) { entered.push_back(group); }});
    const auto few = TakeUntil(pool, 0, ChunkPreparer::kFirstChunks - 1);
    const auto many = TakeUntil(pool, 2, ChunkPreparer::kFirstChunks);
    AwaitHeld(pool, 2, 3);
    EXPECT_EQ(pool.held(0), 0u);
    const HugeBuffer prepared = pool.Take(2);
    std::vector<unsigned char> pages(ChunkPool::kChunkBytes / 4096);
    ASSERT_EQ(mincore(prepared.data(), ChunkPool::kChunkBytes, pages.data()), 0);
    for (const unsigned char page : pages) EXPECT_EQ(page & 1, 1);
    AwaitHeld(pool, 2, 3);
    const HugeBuffer eighth = pool.Take(0);
    AwaitHeld(pool, 0, 2);
    EXPECT_EQ(pool.held(1), 0u);
  }
  EXPECT_EQ(entered, (std::vector<size_t>{2, 2, 2, 2, 0, 0}));
}

TEST(ChunkPreparer, PreparesNoMoreThanThereIsRoomFor) {
  ChunkPool pool;
  std::atomic<size_t> room = 2 * ChunkPool::kChunkBytes - 1;
  {
    const ChunkPreparer preparer(pool, {{5}, [&room] { return room.load(); }, [](size_t) {}});
    auto chunks = TakeUntil(pool, 0, ChunkPreparer::kFirstChunks);
    AwaitHeld(pool, 0, 1);
    room = 4 * ChunkPool::kChunkBytes;
    chunks.push_back(pool.Take(0));
    AwaitHeld(pool, 0, 4);
    room = 0;
    chunks.push_back(pool.Take(0));
  }
  EXPECT_LE(pool.held(0), 3u);
}

// The memory was there when the thread looked, and is gone when the chunk is made.
TEST(ChunkPreparer, GivesBackWhatIsTakenMeanwhile) {
  ChunkPool pool;
  std::atomic<size_t> room = size_t{1} << 30;
  {
    const ChunkPreparer preparer(
        pool, {{1}, [&room] { return room.load(); }, [&room](size_t) { room = 0; }});
    const auto chunks = TakeUntil(pool, 0, ChunkPreparer::kFirstChunks);
    while (room != 0) std::this_thread::yield();
  }
  EXPECT_EQ(pool.held(0), 0u);
}

TEST(ChunkPreparer, EndsAtOnceWhereNothingIsTaken) {
  ChunkPool pool;
  const ChunkPreparer preparer(pool, {{4}, [] { return size_t{1} << 30; }, [](size_t) {}});
  EXPECT_EQ(pool.held_bytes(), 0u);
}

}  // namespace chunk_preparer_test
}  // namespace pmdex
