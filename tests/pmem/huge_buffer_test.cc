#include "pmem/huge_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace pmdex {
namespace {

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

TEST(HugeBuffer, MayBeEmpty) {
  const HugeBuffer buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_TRUE(buffer.As<int>().empty());
}

}  // namespace
}  // namespace pmdex
