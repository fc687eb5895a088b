#include "engine/codec/unit_kernels.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/codec/bit_packer.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace unit_kernels_test {

std::vector<uint32_t> RandomValues(SeededRandom& random, size_t count, uint32_t width) {
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) {
    value = static_cast<uint32_t>(random.Next() & ((uint64_t{1} << width) - 1));
  }
  return values;
}

// The values packed, in memory of their own: with kUnpackSlack bytes behind them, which are not
// zero, and no more.
std::unique_ptr<uint8_t[]> Pack(const std::vector<uint32_t>& values, uint32_t width) {
  const size_t bytes = PackedBytes(values.size(), width);
  auto packed = std::make_unique<uint8_t[]>(bytes + kUnpackSlack);
  std::fill_n(packed.get(), bytes + kUnpackSlack, uint8_t{0xa5});
  BitPacker packer(reinterpret_cast<std::byte*>(packed.get()));
  for (const uint32_t value : values) packer.Add(value, width);
  EXPECT_EQ(packer.Finish(), reinterpret_cast<std::byte*>(packed.get() + bytes));
  return packed;
}

std::vector<uint32_t> DocidsOf(std::vector<uint32_t> gaps, uint32_t before) {
  for (uint32_t& gap : gaps) gap = before += gap + 1;
  return gaps;
}

class UnitKernel : public testing::TestWithParam<SimdLevel> {
 protected:
  const UnitKernels& kernels() const { return UnitKernelsOf(GetParam()); }
};

TEST_P(UnitKernel, UnpacksEveryWidthAndEveryTail) {
  SeededRandom random(1);
  for (const uint32_t width : {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 32}) {
    for (uint32_t n = 1; n <= 256; n += n < 70 ? 1 : 31) {
      const std::vector<uint32_t> values = RandomValues(random, n, width);
      const auto packed = Pack(values, width);
      // Memory of n elements and no more, so that a write behind them is found.
      const auto out = std::make_unique<uint32_t[]>(n);
      kernels().unpack(packed.get(), width, n, out.get());
      ASSERT_EQ(std::vector<uint32_t>(out.get(), out.get() + n), values) << width << ", " << n;
      const auto before = static_cast<uint32_t>(random.Next());
      kernels().docids(packed.get(), width, n, before, out.get());
      ASSERT_EQ(std::vector<uint32_t>(out.get(), out.get() + n), DocidsOf(values, before))
          << width << ", " << n;
    }
  }
}

TEST_P(UnitKernel, AddsUpGapsInPlace) {
  SeededRandom random(2);
  for (uint32_t n = 1; n <= 256; ++n) {
    const std::vector<uint32_t> gaps = RandomValues(random, n, n % 33);
    const auto values = std::make_unique<uint32_t[]>(n);
    std::copy(gaps.begin(), gaps.end(), values.get());
    kernels().add_up(n, 0xffffffff, values.get());
    ASSERT_EQ(std::vector<uint32_t>(values.get(), values.get() + n), DocidsOf(gaps, 0xffffffff));
  }
}

TEST_P(UnitKernel, AddsUpWordsOfEveryTail) {
  SeededRandom random(8);
  for (uint32_t n = 1; n <= 300; ++n) {
    std::vector<uint16_t> values(n);
    for (uint16_t& value : values) {
      value = static_cast<uint16_t>(random.OneIn(4) ? random.Below(65536) : random.Below(9));
    }
    const auto before = static_cast<uint16_t>(random.Below(65536));
    std::vector<uint16_t> expected(n), sums(n);
    ScalarUnitKernels().add_up_words(values.data(), n, before, expected.data());
    EXPECT_EQ(expected[0], static_cast<uint16_t>(before + values[0] + 1));
    kernels().add_up_words(values.data(), n, before, sums.data());
    ASSERT_EQ(sums, expected) << n;
  }
}

TEST_P(UnitKernel, UnpacksBytesOfEveryWidthAndEveryTail) {
  SeededRandom random(3);
  for (uint32_t width = 0; width <= 8; ++width) {
    for (uint32_t n = 1; n <= 256; ++n) {
      const std::vector<uint32_t> values = RandomValues(random, n, width);
      const auto packed = Pack(values, width);
      const auto least = static_cast<uint8_t>(random.Next());
      const auto out = std::make_unique<uint8_t[]>(n);
      kernels().unpack_bytes(packed.get(), width, n, least, out.get());
      for (uint32_t i = 0; i < n; ++i) {
        ASSERT_EQ(out[i], static_cast<uint8_t>(values[i] + least)) << width << ", " << n;
      }
    }
  }
}

TEST_P(UnitKernel, UnpacksWordsOfEveryWidthAndEveryTail) {
  SeededRandom random(4);
  for (uint32_t width = 0; width <= 16; ++width) {
    for (uint32_t n = 1; n <= 256; ++n) {
      const std::vector<uint32_t> values = RandomValues(random, n, width);
      const auto packed = Pack(values, width);
      const auto out = std::make_unique<uint16_t[]>(n);
      kernels().unpack_words(packed.get(), width, n, out.get());
      for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(out[i], values[i]) << width << ", " << n;
    }
  }
}

TEST_P(UnitKernel, FindsOnesAsFarAsTheyGo) {
  SeededRandom random(6);
  for (int turn = 0; turn < 3000; ++turn) {
    const size_t size = random.Below(90);
    const auto bits = std::make_unique<uint8_t[]>(size + kUnpackSlack);
    const uint64_t density = 1 + random.Below(9);
    std::vector<uint16_t> expected;
    for (size_t i = 0; i < 8 * (size + kUnpackSlack); ++i) {
      if (!random.OneIn(density)) continue;  // behind the end are ones, too
      bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1 << (i % 8));
      if (i < 8 * size) expected.push_back(static_cast<uint16_t>(i));
    }
    const auto n = static_cast<uint32_t>(random.Below(300));
    const auto places = std::make_unique<uint16_t[]>(n + 64);
    const uint32_t found = kernels().find_ones(bits.get(), size, n, places.get());
    ASSERT_EQ(found, std::min<size_t>(n, expected.size()));
    ASSERT_TRUE(std::equal(places.get(), places.get() + found, expected.begin()));
  }
}

TEST_P(UnitKernel, AddsZerosForEveryTail) {
  SeededRandom random(7);
  for (uint32_t n = 1; n <= 256; ++n) {
    std::vector<uint16_t> places(n + 1), values(n), expected(n);
    for (uint16_t& place : places) place = static_cast<uint16_t>(random.Next());
    for (uint16_t& value : values) value = static_cast<uint16_t>(random.Next());
    const auto factor = static_cast<uint16_t>(uint32_t{1} << random.Below(17));
    for (uint32_t i = 0; i < n; ++i) {
      expected[i] = static_cast<uint16_t>(
          values[i] + static_cast<uint16_t>(places[i + 1] - places[i] - 1) * uint32_t{factor});
    }
    kernels().add_zeros(places.data(), n, factor, values.data());
    ASSERT_EQ(values, expected);
  }
}

TEST_P(UnitKernel, SumsGroupsAndFindsTheGreatestByteWhereverItIs) {
  SeededRandom random(8);
  for (uint32_t n = 0; n <= 33; ++n) {
    const auto bytes = std::make_unique<uint8_t[]>(16 * n);
    std::vector<uint32_t> expected(n);
    for (uint32_t i = 0; i < 16 * n; ++i) {
      bytes[i] = static_cast<uint8_t>(random.OneIn(2) ? 254 : random.Below(255));
      expected[i / 16] += bytes[i];
    }
    std::vector<uint32_t> sums(n);
    EXPECT_FALSE(kernels().sum_groups(bytes.get(), n, sums.data()));
    EXPECT_EQ(sums, expected);
    for (uint32_t i = 0; i < 16 * n; ++i) {
      const uint8_t before = std::exchange(bytes[i], uint8_t{255});
      EXPECT_TRUE(kernels().sum_groups(bytes.get(), n, sums.data())) << i;
      EXPECT_EQ(sums[i / 16], expected[i / 16] + 255 - before);
      bytes[i] = before;
    }
  }
}

TEST_P(UnitKernel, IsTheOneOfItsLevel) {
  EXPECT_EQ(kernels().level, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Levels, UnitKernel, testing::ValuesIn(UsableSimdLevels()),
                         [](const auto& info) { return std::string(ToString(info.param)); });

}  // namespace unit_kernels_test
}  // namespace pmdex
