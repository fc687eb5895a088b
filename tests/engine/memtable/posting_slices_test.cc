#include "engine/memtable/posting_slices.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

#include "engine/memtable/posting_kernels.h"

namespace pmdex {
namespace posting_slices_test {

// A chain with its first bytes; stays where it is.
struct OwnedChain {
  explicit OwnedChain(size_t first_bytes) : memory(first_bytes) {
    chain = PostingSlices::Start(memory);
  }
  // Of all values, read so many bytes at a time.
  std::vector<uint32_t> Values(const PostingSlices& slices, size_t at_once) const {
    SliceReader reader(slices, chain, memory);
    std::vector<uint8_t> bytes, piece(at_once);
    for (size_t read = at_once; read == at_once;) {
      read = reader.Read(piece);
      bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(read));
    }
    std::vector<uint32_t> values(bytes.size());
    const VByteRun run = ScalarPostingKernels().decode(bytes, values);
    EXPECT_EQ(run.bytes, bytes.size());
    values.resize(run.values);
    return values;
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
    std::vector<std::vector<uint32_t>> expected(chains.size());
    for (int i = 0; i < 50000; ++i) {
      const size_t at = random() % chains.size() % (1 + random() % chains.size());
      const auto value = static_cast<uint32_t>(uint64_t{random()} >> random() % 33);
      expected[at].push_back(value);
      if (random() % 2 == 0) {
        slices.Append(chains[at].chain, value);
      } else {
        const auto second = static_cast<uint32_t>(random() >> random() % 32);
        slices.AppendPair(chains[at].chain, value, second);
        expected[at].push_back(second);
      }
    }
    for (size_t at = 0; at < chains.size(); ++at) {
      ASSERT_EQ(chains[at].Values(slices, 1 + random() % 300), expected[at]);
    }
  }
}

TEST(PostingSlices, HoldTheLargestValueAtEveryPlaceInASlice) {
  for (int before = 0; before < 80; ++before) {
    Arena arena;
    PostingSlices slices(arena);
    OwnedChain chain(12);
    for (int i = 0; i < before; ++i) slices.Append(chain.chain, 1);
    slices.Append(chain.chain, ~uint32_t{0});
    std::vector<uint32_t> expected(static_cast<size_t>(before), 1);
    expected.push_back(~uint32_t{0});
    ASSERT_EQ(chain.Values(slices, 7), expected);
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

TEST(PostingSlices, DoubleUpToABoundThatTheFirstMayExceed) {
  Arena arena;
  EXPECT_EQ(PostingSlices::NextPayload(PostingSlices(arena, 4096).first_payload()),
            PostingSlices::kMaxGrownBytes - PostingSlices::kLinkBytes);
  uint16_t payload = PostingSlices(arena, 8).first_payload();
  for (const int size : {8, 16, 32, 64, 128, 256, 512, 512}) {
    EXPECT_EQ(payload + PostingSlices::kLinkBytes, size);
    payload = PostingSlices::NextPayload(payload);
  }
}

TEST(PostingSlicesDeathTest, RefuseAFirstSliceThatDoublingWouldMiss) {
  Arena arena;
  EXPECT_DEATH(PostingSlices(arena, 24), "");
  EXPECT_DEATH(PostingSlices(arena, 8192), "");
}

}  // namespace posting_slices_test
}  // namespace pmdex
