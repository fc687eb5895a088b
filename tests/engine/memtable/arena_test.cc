#include "engine/memtable/arena.h"

#include <cstring>
#include <map>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace arena_test {

TEST(Arena, KeepsWhatWasWrittenApartAcrossChunks) {
  Arena arena;
  std::map<Arena::Handle, uint8_t> written;
  for (int i = 0; i < 80000; ++i) {
    const size_t size = 1 + static_cast<size_t>(i * 7919 % 300);
    const Arena::Handle handle = arena.Allocate(size);
    ASSERT_NE(handle, 0u);
    ASSERT_TRUE(written.emplace(handle, static_cast<uint8_t>(i)).second);
    std::memset(arena.At(handle), static_cast<uint8_t>(i), size);
  }
  EXPECT_GT(arena.held_bytes(), 4 * Arena::kChunkBytes);
  for (const auto& [handle, byte] : written) ASSERT_EQ(*arena.At(handle), byte);
}

TEST(Arena, CountsTheBytesHandedOutInUnits) {
  Arena arena;
  const size_t before = arena.used_bytes();
  arena.Allocate(1);
  arena.Allocate(8);
  arena.Allocate(9);
  EXPECT_EQ(arena.used_bytes() - before, 32u);
}

TEST(Arena, VisitsBlocksOfOneSizeInTheOrderTheyWereHandedOut) {
  for (const size_t bytes : {8, 24, 64}) {
    Arena arena;
    std::vector<Arena::Handle> expected, visited;
    const auto visit = [&visited](Arena::Handle handle) { visited.push_back(handle); };
    arena.ForEachBlock(bytes, visit);
    EXPECT_TRUE(visited.empty());
    const size_t count = 3 * (Arena::kChunkBytes / bytes) - 1000;  // in the third chunk
    for (size_t i = 0; i < count; ++i) expected.push_back(arena.Allocate(bytes));
    arena.ForEachBlock(bytes, visit);
    EXPECT_EQ(visited, expected);
  }
}

TEST(Arena, GivesAWholeChunkInOnePiece) {
  Arena arena;
  const Arena::Handle handle = arena.Allocate(Arena::kChunkBytes);
  std::memset(arena.At(handle), 1, Arena::kChunkBytes);
  EXPECT_EQ(arena.held_bytes(), 2 * Arena::kChunkBytes);
}

}  // namespace arena_test
}  // namespace pmdex
