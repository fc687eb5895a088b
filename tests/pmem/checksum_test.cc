#include "pmem/checksum.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/cpu_features.h"

namespace pmdex {
namespace checksum_test {

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

std::vector<std::byte> RandomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// RFC 3720, appendix B.4, and the check value of the polynomial's catalogue entry.
TEST(Crc32c, EqualsThePublishedVectors) {
  std::vector<std::byte> ascending(32);
  std::vector<std::byte> descending(32);
  for (size_t i = 0; i < 32; ++i) {
    ascending[i] = static_cast<std::byte>(i);
    descending[i] = static_cast<std::byte>(31 - i);
  }
  EXPECT_EQ(Crc32c(AsBytes("123456789")), 0xE3069283u);
  EXPECT_EQ(Crc32c({}), 0u);
  EXPECT_EQ(Crc32c(std::vector<std::byte>(32, std::byte{0})), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::vector<std::byte>(32, std::byte{0xFF})), 0x62A8AB43u);
  EXPECT_EQ(Crc32c(ascending), 0x46DD794Eu);
  EXPECT_EQ(Crc32c(descending), 0x113FDB5Cu);
}

TEST(Crc32c, ScalarEqualsTheVectorsToo) {
  EXPECT_EQ(Crc32cScalar(0, AsBytes("123456789")), 0xE3069283u);
  EXPECT_EQ(Crc32cScalar(0, std::vector<std::byte>(32, std::byte{0xFF})), 0x62A8AB43u);
}

TEST(Crc32c, KernelsAgreeOnEveryLengthAndAlignment) {
  if (!GetCpuFeatures().sse42) GTEST_SKIP() << "this CPU has no SSE4.2";
  const auto bytes = RandomBytes(4096, 1);
  for (size_t offset = 0; offset < 8; ++offset) {
    for (size_t size = 0; size <= 300; ++size) {
      const auto piece = std::span(bytes).subspan(offset, size);
      ASSERT_EQ(Crc32cSse42(0, piece), Crc32cScalar(0, piece)) << offset << " " << size;
    }
  }
  EXPECT_EQ(Crc32cSse42(0, bytes), Crc32cScalar(0, bytes));
}

TEST(Crc32c, ChainedCallsEqualOneCall) {
  const auto bytes = RandomBytes(1000, 2);
  const uint32_t expected = Crc32c(bytes);
  for (size_t cut = 0; cut <= bytes.size(); cut += 37) {
    const auto head = std::span(bytes).first(cut);
    const auto tail = std::span(bytes).subspan(cut);
    EXPECT_EQ(Crc32cScalar(Crc32cScalar(0, head), tail), expected);
    if (!GetCpuFeatures().sse42) continue;
    EXPECT_EQ(Crc32cSse42(Crc32cScalar(0, head), tail), expected);
  }
}

TEST(Crc32c, SeesEverySingleBitFlip) {
  auto bytes = RandomBytes(64, 3);
  const uint32_t expected = Crc32c(bytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    EXPECT_NE(Crc32c(bytes), expected);
    bytes[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
  }
}

TEST(Xxh3, EqualsThePublishedValueOfNothing) {
  EXPECT_EQ(Xxh3({}), 0x2D06800538D394C2u);
}

TEST(Xxh3, StreamsLikeOneCallWhateverThePieces) {
  const auto bytes = RandomBytes(100'000, 4);
  std::mt19937_64 random(5);
  Xxh3Stream stream;
  EXPECT_EQ(stream.Digest(), Xxh3({}));
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = std::min<size_t>(random() % 3000, bytes.size() - at);
    stream.Update(std::span(bytes).subspan(at, size));
    at += size;
    ASSERT_EQ(stream.Digest(), Xxh3(std::span(bytes).first(at)));
  }
  Xxh3Stream moved = std::move(stream);
  moved.Update(AsBytes("more"));
  EXPECT_NE(moved.Digest(), Xxh3(bytes));
}

}  // namespace checksum_test
}  // namespace pmdex
