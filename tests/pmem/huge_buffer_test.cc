#include "pmem/huge_buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace pmdex {
namespace huge_buffer_test {

constexpr size_t kHugeBytes = size_t{2} << 20;

TEST(HugeBuffer, IsZeroedAndWritableToItsEnd) {
  for (const size_t size :
       {size_t{1}, size_t{4096}, size_t{5000}, kHugeBytes - 1, kHugeBytes, kHugeBytes * 3 + 17}) {
    HugeBuffer buffer(size);
    ASSERT_EQ(buffer.size_bytes(), size);
    for (std::byte& byte : buffer.As<std::byte>()) {
      ASSERT_EQ(byte, std::byte{0});
      byte = std::byte{7};
    }
  }
}

TEST(HugeBuffer, HasItsMemoryAfterPopulate) {
  if (madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "the kernel cannot populate";
  HugeBuffer().Populate();
  for (const size_t size : {size_t{1}, size_t{70000}, kHugeBytes, kHugeBytes * 3}) {
    HugeBuffer buffer(size);
    std::vector<unsigned char> pages((size + 4095) / 4096);
    buffer.Populate();
    ASSERT_EQ(mincore(buffer.data(), pages.size() * 4096, pages.data()), 0);
    for (const unsigned char page : pages) EXPECT_EQ(page & 1, 1);
    for (const std::byte byte : buffer.As<std::byte>()) ASSERT_EQ(byte, std::byte{0});
  }
}

TEST(HugeBuffer, AlignsLargeBuffersToHugePages) {
  for (const size_t size : {kHugeBytes, kHugeBytes + 1, kHugeBytes * 5}) {
    const HugeBuffer buffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kHugeBytes, 0u) << size;
  }
}

TEST(HugeBuffer, MovesItsMemory) {
  HugeBuffer first(100);
  first.As<int>()[3] = 42;
  HugeBuffer second(std::move(first));
  EXPECT_EQ(first.data(), nullptr);
  HugeBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.As<int>()[3], 42);
  EXPECT_EQ(third.As<int>().size(), 25u);
}

TEST(HugeBuffer, KeepsWhatIsInItWhenItGrowsAndAddsZeros) {
  HugeBuffer buffer;
  size_t filled = 0;
  for (const size_t size : {size_t{1}, size_t{4096}, size_t{5000}, kHugeBytes - 1, kHugeBytes + 5,
                            kHugeBytes + 5, kHugeBytes * 3, kHugeBytes * 7 + 17}) {
    buffer.Grow(size);
    ASSERT_EQ(buffer.size_bytes(), size);
    if (size >= kHugeBytes) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kHugeBytes, 0u);
    }
    const std::span<uint8_t> bytes = buffer.As<uint8_t>();
    for (size_t i = 0; i < size; ++i) {
      ASSERT_EQ(bytes[i], i < filled ? i % 251 : 0) << i << " of " << size;
      bytes[i] = static_cast<uint8_t>(i % 251);
    }
    filled = size;
  }
}

TEST(HugeBuffer, IsAsItWasWhenThereIsNoMemoryToGrow) {
  constexpr size_t kMoreThanAddresses = size_t{1} << 47;
  EXPECT_THROW(HugeBuffer{kMoreThanAddresses}, std::bad_alloc);
  for (const size_t size : {size_t{100}, kHugeBytes * 2}) {
    HugeBuffer buffer(size);
    buffer.As<uint8_t>()[size - 1] = 5;
    EXPECT_THROW(buffer.Grow(kMoreThanAddresses), std::bad_alloc);
    EXPECT_EQ(buffer.size_bytes(), size);
    EXPECT_EQ(buffer.As<uint8_t>()[size - 1], 5);
  }
}

TEST(HugeBuffer, MayBeEmpty) {
  const HugeBuffer buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_TRUE(buffer.As<int>().empty());
}

}  // namespace huge_buffer_test
}  // namespace pmdex
