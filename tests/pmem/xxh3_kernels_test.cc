#include "pmem/xxh3_kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "pmem/checksum.h"
#include "pmem/cpu_features.h"

namespace pmdex {
namespace xxh3_kernels_test {

TEST(Xxh3Kernels, AgreeOnEveryLengthAndAlignment) {
  if (!GetCpuFeatures().avx2) GTEST_SKIP() << "this CPU has no AVX2";
  std::mt19937_64 random(6);
  std::vector<std::byte> bytes(20'000);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  for (size_t size = 0; size <= 5000; ++size) {
    const auto piece = std::span(bytes).subspan(size % 65, size);
    ASSERT_EQ(Xxh3Avx2(piece), Xxh3Sse2(piece)) << size;
    ASSERT_EQ(Xxh3(piece), Xxh3Sse2(piece)) << size;
  }
  EXPECT_EQ(Xxh3Avx2(bytes), Xxh3Sse2(bytes));
}

}  // namespace xxh3_kernels_test
}  // namespace pmdex
