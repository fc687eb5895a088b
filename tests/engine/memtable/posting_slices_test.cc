#include "engine/memtable/posting_slices.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace {

TEST(PostingSlices, GiveBackEveryValueInOrder) {
  std::mt19937 random(7);
  Arena arena;
  std::vector<SliceChain> chains(50);
  std::vector<std::vector<uint32_t>> expected(chains.size());
  for (int i = 0; i < 100000; ++i) {
    const size_t chain = random() % chains.size() % (1 + random() % chains.size());
    const uint32_t value = random() >> random() % 32;
    AppendVByte(arena, chains[chain], value);
    expected[chain].push_back(value);
  }
  for (size_t chain = 0; chain < chains.size(); ++chain) {
    SliceReader reader(arena, chains[chain]);
    for (const uint32_t value : expected[chain]) ASSERT_EQ(reader.ReadVByte(), value);
  }
}

TEST(PostingSlices, HoldTheLargestValueAtEveryPlaceInASlice) {
  for (int before = 0; before < 40; ++before) {
    Arena arena;
    SliceChain chain;
    for (int i = 0; i < before; ++i) AppendVByte(arena, chain, 1);
    AppendVByte(arena, chain, 0xffffffff);
    SliceReader reader(arena, chain);
    for (int i = 0; i < before; ++i) ASSERT_EQ(reader.ReadVByte(), 1u);
    ASSERT_EQ(reader.ReadVByte(), 0xffffffffu);
  }
}

TEST(PostingSlices, TakeEightBytesForOneSmallValue) {
  Arena arena;
  const size_t before = arena.used_bytes();
  SliceChain chain;
  AppendVByte(arena, chain, 5);
  EXPECT_EQ(arena.used_bytes() - before, 8u);
}

TEST(PostingSlices, DoubleUpToAPage) {
  using slices_internal::NextPayload;
  uint16_t payload = 0;
  for (const int size : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
    payload = NextPayload(payload);
    EXPECT_EQ(payload + 4, size);
  }
}

}  // namespace
}  // namespace pmdex
