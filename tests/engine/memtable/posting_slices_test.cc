#include "engine/memtable/posting_slices.h"

#include <array>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace {

// A chain with its first bytes; stays where it is.
struct OwnedChain {
  explicit OwnedChain(size_t first_bytes) : memory(first_bytes + PostingSlices::kLinkBytes) {
    chain = PostingSlices::Start(std::span(memory).first(first_bytes));
  }
  SliceReader Reader(const PostingSlices& slices) const {
    return {slices, chain, std::span(memory).first(memory.size() - PostingSlices::kLinkBytes)};
  }

  std::vector<uint8_t> memory;
  SliceChain chain;
};

TEST(PostingSlices, GiveBackEveryValueInOrder) {
  std::mt19937 random(7);
  for (const uint16_t first_slice_bytes : {8, 32, 4096}) {
    Arena arena;
    PostingSlices slices(arena, first_slice_bytes);
    std::vector<OwnedChain> chains;
    for (size_t i = 0; i < 50; ++i) chains.emplace_back(i % 14);
    std::vector<std::vector<uint64_t>> expected(chains.size());
    for (int i = 0; i < 50000; ++i) {
      const size_t at = random() % chains.size() % (1 + random() % chains.size());
      const uint64_t value = uint64_t{random()} << random() % 2 >> random() % 33;
      expected[at].push_back(value);
      if (random() % 2 == 0) {
        slices.Append(chains[at].chain, value);
      } else {
        const uint64_t second = random() >> random() % 32;
        slices.AppendPair(chains[at].chain, value, second);
        expected[at].push_back(second);
      }
    }
    for (size_t at = 0; at < chains.size(); ++at) {
      SliceReader reader = chains[at].Reader(slices);
      for (const uint64_t value : expected[at]) ASSERT_EQ(reader.Read(), value);
    }
  }
}

TEST(PostingSlices, HoldTheLargestValueAtEveryPlaceInASlice) {
  for (int before = 0; before < 80; ++before) {
    Arena arena;
    PostingSlices slices(arena);
    OwnedChain chain(12);
    for (int i = 0; i < before; ++i) slices.Append(chain.chain, 1);
    slices.Append(chain.chain, ~uint64_t{0});
    SliceReader reader = chain.Reader(slices);
    for (int i = 0; i < before; ++i) ASSERT_EQ(reader.Read(), 1u);
    ASSERT_EQ(reader.Read(), ~uint64_t{0});
  }
}

TEST(PostingSlices, TakeNothingOfTheArenaUntilTheFirstBytesAreFull) {
  Arena arena;
  PostingSlices slices(arena, 16);
  const size_t before = arena.used_bytes();
  OwnedChain chain(12);
  for (int i = 0; i < 12; ++i) slices.Append(chain.chain, 5);
  EXPECT_EQ(arena.used_bytes() - before, 0u);
  slices.Append(chain.chain, 5);
  EXPECT_EQ(arena.used_bytes() - before, 16u);
}

TEST(PostingSlices, DoubleUpToAPage) {
  Arena arena;
  uint16_t payload = PostingSlices(arena, 8).first_payload();
  for (const int size : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
    EXPECT_EQ(payload + PostingSlices::kLinkBytes, size);
    payload = PostingSlices::NextPayload(payload);
  }
}

TEST(PostingSlicesDeathTest, RefuseAFirstSliceThatDoublingWouldMiss) {
  Arena arena;
  EXPECT_DEATH(PostingSlices(arena, 24), "");
  EXPECT_DEATH(PostingSlices(arena, 8192), "");
}

}  // namespace
}  // namespace pmdex
