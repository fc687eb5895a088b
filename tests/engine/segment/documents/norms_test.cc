#include "engine/segment/documents/norms.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace norms_test {

// The lengths of all codes, from the definition: first exact values, then the small floats of four
// significant bits in ascending order, so many that there are 256 codes.
std::vector<uint64_t> LengthsByDefinition() {
  std::vector<uint64_t> floats;
  for (uint64_t value = 0; value < 16; ++value) floats.push_back(value);
  for (uint64_t step = 2; floats.back() + step <= 0x7fffffff; step *= 2) {
    for (int i = 0; i < 8 && floats.back() + step <= 0x7fffffff; ++i) {
      floats.push_back(i == 0 ? 8 * step : floats.back() + step);
    }
  }
  const size_t exact = 255 - (floats.size() - 1);
  std::vector<uint64_t> lengths;
  for (size_t i = 0; i < exact; ++i) lengths.push_back(i);
  for (const uint64_t value : floats) lengths.push_back(exact + value);
  return lengths;
}

TEST(Norms, DecodeToTheLengthsOfTheDefinition) {
  const std::vector<uint64_t> lengths = LengthsByDefinition();
  ASSERT_EQ(lengths.size(), 256u);
  for (size_t code = 0; code < 256; ++code) {
    EXPECT_EQ(DecodeLength(static_cast<uint8_t>(code)), lengths[code]) << code;
  }
}

TEST(Norms, EncodeToTheLongestLengthThatIsNotLonger) {
  const std::vector<uint64_t> lengths = LengthsByDefinition();
  const auto expected = [&lengths](uint64_t length) {
    return std::upper_bound(lengths.begin(), lengths.end(), length) - lengths.begin() - 1;
  };
  std::mt19937 random(3);
  for (uint32_t length = 0; length < 70000; ++length) {
    ASSERT_EQ(EncodeLength(length), expected(length)) << length;
  }
  for (int i = 0; i < 100000; ++i) {
    const uint32_t length = random() & 0x7fffffff;
    ASSERT_EQ(EncodeLength(length), expected(length)) << length;
  }
  EXPECT_EQ(EncodeLength(0x7fffffff), 255);
  EXPECT_EQ(EncodeLength(0xffffffff), 255);
}

TEST(Norms, AreExactUpTo39) {
  for (uint32_t length = 0; length <= 39; ++length) {
    EXPECT_EQ(DecodeLength(EncodeLength(length)), length);
  }
  EXPECT_EQ(DecodeLength(EncodeLength(41)), 40u);
}

}  // namespace norms_test
}  // namespace pmdex
