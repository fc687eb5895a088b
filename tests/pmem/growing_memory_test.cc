#include "pmem/growing_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <utility>

namespace pmdex {
namespace growing_memory_test {

TEST(GrowingMemory, KeepsItsBytesWhileItGrows) {
  GrowingArray<uint64_t> array;
  EXPECT_TRUE(array.empty());
  constexpr size_t kCount = 3'000'000;
  for (uint64_t i = 0; i < kCount; ++i) {
    array.push_back(i * i);
    ASSERT_GE(array.memory_bytes(), array.size() * sizeof(uint64_t));
    ASSERT_LE(array.memory_bytes(), 2 * array.size() * sizeof(uint64_t) + (64 << 10));
  }
  ASSERT_EQ(array.size(), kCount);
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(array[i], i * i);
  array.resize(17);
  EXPECT_EQ(array.size(), 17u);
  EXPECT_EQ(*(array.end() - 1), 16u * 16u);
}

TEST(GrowingMemory, TakesNoMoreThanAStepBeyondALargeArray) {
  GrowingMemory memory;
  for (size_t size = size_t{1} << 17; size < size_t{8} << 20; size += 100'000) {
    memory.Grow(size);
    EXPECT_GE(memory.usable_bytes(), size);
    EXPECT_LT(memory.usable_bytes(), size + (size_t{64} << 10));
  }
}

TEST(GrowingMemory, TakesNothingForWhatIsExpected) {
  GrowingMemory memory;
  memory.Expect(size_t{1} << 40 >> 8);
  EXPECT_EQ(memory.usable_bytes(), 0u);
  memory.Grow(size_t{1} << 20);
  EXPECT_EQ(memory.usable_bytes(), size_t{1} << 20);
  std::byte* const before = memory.data();
  memory.Grow(size_t{2} << 20);
  EXPECT_EQ(memory.data(), before);
}

TEST(GrowingMemory, CanBeMoved) {
  for (const size_t count : {size_t{10}, size_t{100'000}}) {
    GrowingArray<uint32_t> array;
    for (uint32_t i = 0; i < count; ++i) array.push_back(i);
    GrowingArray<uint32_t> moved = std::move(array);
    ASSERT_EQ(moved.size(), count);
    EXPECT_EQ(moved[count - 1], count - 1);
  }
}

// Doubling an array by copying faults its pages in about twice. Pages of a step come with one call.
TEST(GrowingMemory, FaultsNoPageInTwice) {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  constexpr size_t kBytes = size_t{32} << 20;
  const auto before = faults();
  GrowingArray<uint64_t> array;
  for (uint64_t i = 0; i < kBytes / sizeof(uint64_t); ++i) array.push_back(i);
  EXPECT_LT(faults() - before, static_cast<long>(kBytes / 4096 * 5 / 4));
}

}  // namespace growing_memory_test
}  // namespace pmdex
