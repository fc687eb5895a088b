#include "engine/codec/value_unit.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace value_unit_test {

void ExpectComesBack(std::span<const uint16_t> values) {
  for (size_t at = 0; at < values.size();) {
    std::array<std::byte, kUnitBytes + kUnpackSlack> bytes{};
    const EncodedUnit encoded = EncodeValueUnit(values.subspan(at), static_cast<uint32_t>(at),
                                                std::span(bytes).first<kUnitBytes>());
    ASSERT_GT(encoded.postings, 0u);
    const auto unit_bytes = std::span<const std::byte>(bytes).first(encoded.bytes);
    ASSERT_TRUE(HasRightCheck(unit_bytes));
    const auto unit = ParseValueUnit(unit_bytes);
    ASSERT_TRUE(unit.has_value());
    ASSERT_EQ(unit->first_value, at);
    ASSERT_EQ(unit->count, encoded.postings);
    for (const SimdLevel level : UsableSimdLevels()) {
      const auto out = std::make_unique<uint16_t[]>(unit->count);
      DecodeValues(*unit, UnitKernelsOf(level), out.get());
      for (uint32_t i = 0; i < unit->count; ++i) ASSERT_EQ(out[i], values[at + i]);
    }
    at += encoded.postings;
    ASSERT_TRUE(encoded.bytes == kUnitBytes || at == values.size());
  }
}

TEST(ValueUnit, GivesBackValuesOfEveryWidthAndNumber) {
  SeededRandom random(1);
  for (uint32_t width = 0; width <= 16; ++width) {
    for (const size_t outliers : {2, 20, 5000}) {
      std::vector<uint16_t> values(1 + random.Below(1200));
      for (uint16_t& value : values) {
        value = static_cast<uint16_t>(random.Next() & ((1u << width) - 1));
        if (random.OneIn(outliers)) value = static_cast<uint16_t>(random.Next());
      }
      ExpectComesBack(values);
    }
  }
  for (size_t count = 1; count < 400; ++count) {
    std::vector<uint16_t> values(count);
    for (uint16_t& value : values) value = static_cast<uint16_t>(random.Below(300));
    ExpectComesBack(values);
  }
}

TEST(ValueUnit, RefusesHeadersThatPromiseTooMuch) {
  const std::vector<uint16_t> values(100, 9);
  std::array<std::byte, kUnitBytes> bytes{};
  EncodeValueUnit(values, 0, bytes);
  ASSERT_TRUE(ParseValueUnit(bytes).has_value());
  const auto with = [&](size_t offset, uint8_t value) {
    auto changed = bytes;
    changed[offset] = std::byte{value};
    return ParseValueUnit(changed).has_value();
  };
  EXPECT_FALSE(with(offsetof(ValueUnitHeader, width), 17));
  EXPECT_FALSE(with(offsetof(ValueUnitHeader, exceptions), kMaxUnitExceptions + 1));
  auto wide = bytes;
  wide[offsetof(ValueUnitHeader, width)] = std::byte{16};
  wide[offsetof(ValueUnitHeader, last)] = std::byte{255};
  EXPECT_FALSE(ParseValueUnit(wide).has_value());
  EXPECT_FALSE(ParseValueUnit(std::span(bytes).first(5)).has_value());
}

TEST(ValueUnit, DecodesAnyBytesAlikeOnEveryLevel) {
  SeededRandom random(2);
  size_t parsed = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    const auto bytes = std::make_unique<std::byte[]>(kUnitBytes + kUnpackSlack);
    for (size_t i = 0; i < kUnitBytes + kUnpackSlack; ++i) {
      bytes[i] = static_cast<std::byte>(random.Next());
    }
    bytes[offsetof(ValueUnitHeader, width)] = static_cast<std::byte>(random.Below(18));
    bytes[offsetof(ValueUnitHeader, exceptions)] = static_cast<std::byte>(random.Below(18));
    const auto unit = ParseValueUnit({bytes.get(), kUnitBytes});
    if (!unit.has_value()) continue;
    ++parsed;
    std::vector<uint16_t> values(unit->count);
    DecodeValues(*unit, ScalarUnitKernels(), values.data());
    for (const SimdLevel level : UsableSimdLevels()) {
      std::vector<uint16_t> other(unit->count);
      DecodeValues(*unit, UnitKernelsOf(level), other.data());
      ASSERT_EQ(values, other);
    }
  }
  EXPECT_GT(parsed, 500u);
}

}  // namespace value_unit_test
}  // namespace pmdex
