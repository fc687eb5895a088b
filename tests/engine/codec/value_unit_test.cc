#include "engine/codec/value_unit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "engine/codec/unit_check.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace value_unit_test {

// The bytes of a unit, with slack behind them.
struct Unit {
  explicit Unit(std::span<const uint16_t> values, uint64_t offset = 0) {
    std::array<std::byte, kMostValueUnitBytes> unit;
    size = EncodeValueUnit(values, offset, unit);
    bytes.assign(unit.begin(), unit.begin() + static_cast<long>(size));
    bytes.resize(size + kUnpackSlack);
  }
  std::span<const std::byte> span() const { return std::span(bytes).first(size); }

  size_t size = 0;
  std::vector<std::byte> bytes;
};

void ExpectComesBack(std::span<const uint16_t> values) {
  const Unit unit(values, 77);
  ASSERT_TRUE(HasRightCheck(unit.span(), 77));
  const auto parsed = ParseValueUnit(unit.span());
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->count, values.size());
  for (const SimdLevel level : UsableSimdLevels()) {
    for (const uint32_t n : {parsed->count, 1 + values[0] % parsed->count}) {
      const auto out = std::make_unique<UnitValueArray>();
      ASSERT_TRUE(DecodeValues(*parsed, n, UnitKernelsOf(level), *out));
      ASSERT_TRUE(std::equal(values.begin(), values.begin() + n, out->begin()));
    }
  }
}

TEST(ValueUnit, GivesBackValuesOfEveryWidthAndNumber) {
  SeededRandom random(1);
  for (uint32_t width = 0; width <= 16; ++width) {
    for (const size_t outliers : {2, 20, 5000}) {
      for (int turn = 0; turn < 10; ++turn) {
        std::vector<uint16_t> values(1 + random.Below(kUnitValues));
        for (uint16_t& value : values) {
          value = static_cast<uint16_t>(random.Next() & ((1u << width) - 1));
          if (random.OneIn(outliers)) value = static_cast<uint16_t>(random.Next());
        }
        ExpectComesBack(values);
      }
    }
  }
  for (size_t count = 1; count <= kUnitValues; ++count) {
    std::vector<uint16_t> values(count);
    for (uint16_t& value : values) value = static_cast<uint16_t>(random.Below(300));
    ExpectComesBack(values);
  }
}

TEST(ValueUnit, TakesTheWidthThatIsBest) {
  SeededRandom random(3);
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<uint16_t> values(1 + random.Below(kUnitValues));
    const uint64_t most = uint64_t{1} << random.Below(17);
    for (uint16_t& value : values) value = static_cast<uint16_t>(random.Below(most));
    size_t best = SIZE_MAX;
    for (uint32_t width = 0; width <= 16; ++width) {
      size_t high_bits = values.size();
      for (const uint16_t value : values) high_bits += value >> width;
      best = std::min(best, (values.size() * width + 7) / 8 + (high_bits + 7) / 8);
    }
    // The search counts bits, and each of the two parts ends with a whole byte.
    EXPECT_LE(Unit(values).size, sizeof(ValueUnitHeader) + best + 1);
  }
}

TEST(ValueUnit, RefusesHeadersThatPromiseTooMuch) {
  const std::vector<uint16_t> values(100, 9);
  const Unit unit(values);
  ASSERT_TRUE(ParseValueUnit(unit.span()).has_value());
  const auto with = [&](size_t offset, uint8_t value) {
    auto changed = unit.bytes;
    changed[offset] = std::byte{value};
    return ParseValueUnit(std::span(changed).first(unit.size)).has_value();
  };
  EXPECT_FALSE(with(offsetof(ValueUnitHeader, width), 17));
  EXPECT_FALSE(with(offsetof(ValueUnitHeader, width), 16));
  EXPECT_FALSE(with(offsetof(ValueUnitHeader, last), 255));
  EXPECT_FALSE(ParseValueUnit(unit.span().first(sizeof(ValueUnitHeader) - 1)).has_value());
  EXPECT_FALSE(ParseValueUnit(unit.span().first(sizeof(ValueUnitHeader))).has_value());
  EXPECT_FALSE(ParseValueUnit(std::vector<std::byte>(kMostValueUnitBytes + 1)).has_value());
}

// Whatever the bytes are, every level gives the same values, or says that some are missing.
TEST(ValueUnit, DecodesAnyBytesAlikeOnEveryLevel) {
  SeededRandom random(2);
  size_t whole = 0;
  size_t ended = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    const size_t size = 1 + random.Below(kMostValueUnitBytes);
    const auto bytes = std::make_unique<std::byte[]>(size + kUnpackSlack);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random.Next());
    if (size > offsetof(ValueUnitHeader, width)) {
      bytes[offsetof(ValueUnitHeader, width)] = static_cast<std::byte>(random.Below(18));
    }
    const auto unit = ParseValueUnit({bytes.get(), size});
    if (!unit.has_value()) continue;
    UnitValueArray values;
    const bool has_all = DecodeValues(*unit, unit->count, ScalarUnitKernels(), values);
    ++(has_all ? whole : ended);
    for (const SimdLevel level : UsableSimdLevels()) {
      UnitValueArray other;
      ASSERT_EQ(DecodeValues(*unit, unit->count, UnitKernelsOf(level), other), has_all);
      ASSERT_TRUE(!has_all ||
                  std::equal(values.begin(), values.begin() + unit->count, other.begin()));
    }
  }
  EXPECT_GT(whole, 100u);
  EXPECT_GT(ended, 100u);
}

}  // namespace value_unit_test
}  // namespace pmdex
