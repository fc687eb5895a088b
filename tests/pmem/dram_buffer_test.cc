#include "pmem/dram_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace pmdex {
namespace dram_buffer_test {

bool IsZero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

TEST(DramBuffer, TakesWholeHugePagesOrWholePages) {
  const auto huge = AllocateDramBuffer(DramAllocation::kHugePages, 5000, "file");
  const auto exact = AllocateDramBuffer(DramAllocation::kExact, 5000, "file");
  ASSERT_TRUE(huge.ok() && exact.ok());
  EXPECT_EQ((*huge)->memory().size(), kHugePageBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*huge)->memory().data()) % kHugePageBytes, 0u);
  EXPECT_EQ((*exact)->memory().size(), 8192u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*exact)->memory().data()) % 4096, 0u);
}

TEST(DramBuffer, IsZeroedEvenWhereMemoryIsUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    const auto buffer = AllocateDramBuffer(DramAllocation::kExact, 10000, "file");
    ASSERT_TRUE(buffer.ok());
    EXPECT_TRUE(IsZero((*buffer)->memory()));
    std::ranges::fill((*buffer)->memory(), std::byte{0xff});
  }
}

TEST(DramBuffer, ReadsZerosBehindTheEndOfATrimmedFile) {
  const auto buffer = AllocateDramBuffer(DramAllocation::kHugePages, kHugePageBytes, "file");
  ASSERT_TRUE(buffer.ok());
  std::ranges::fill((*buffer)->memory(), std::byte{0xff});
  (*buffer)->Trim(4097);
  EXPECT_TRUE(IsZero((*buffer)->memory().subspan(8192)));
  EXPECT_EQ((*buffer)->memory()[4096], std::byte{0xff});
}

TEST(DramBuffer, SaysResourceExhaustedForMoreThanThereIs) {
  for (const DramAllocation allocation : {DramAllocation::kHugePages, DramAllocation::kExact}) {
    for (const uint64_t size_bytes : {UINT64_MAX, uint64_t{1} << 62}) {
      EXPECT_TRUE(
          absl::IsResourceExhausted(AllocateDramBuffer(allocation, size_bytes, "file").status()));
    }
  }
}

}  // namespace dram_buffer_test
}  // namespace pmdex
