// Encodes 16-bit values as units and decodes them (ValueUnitHeader in unit_format.h). Positions are
// stored as such values. The code is that of Golomb and Rice (R. F. Rice, "Some Practical Universal
// Noiseless Coding Techniques", 1979), with low and high bits apart, as P. Elias stores numbers
// that ascend: vector instructions unpack the low ones, and find the ones of the high string.
//
// Encoding trusts its input. Decoding trusts nothing, as in compressed_unit.h. Pure functions;
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/codec/unit_kernels.h"
#include "engine/segment/format.h"

namespace pmdex {

// Writes a unit of all values, at most kUnitValues and at least one. offset: of the unit in its
// section. Returns its size.
size_t EncodeValueUnit(std::span<const uint16_t> values, uint64_t offset,
                       std::span<std::byte, kMostValueUnitBytes> out);

// A unit whose header was checked.
struct ValueUnitView {
  uint32_t count = 0;  // 1..kUnitValues
  uint32_t width = 0;  // 0..16
  const uint8_t* low = nullptr;
  const uint8_t* high = nullptr;
  size_t high_bytes = 0;
};

// unit: all its bytes. nullopt if they cannot be a unit.
std::optional<ValueUnitView> ParseValueUnit(std::span<const std::byte> unit);

// The values of a unit, with room for what decoding writes behind them.
using UnitValueArray = std::array<uint16_t, kUnitValues + 64>;

// Writes the first n values. Returns false if the unit has fewer; those that are missing are then
// undefined. May read kUnpackSlack bytes behind the unit. Requires n <= unit.count.
bool DecodeValues(const ValueUnitView& unit, uint32_t n, const UnitKernels& kernels,
                  UnitValueArray& out);

}  // namespace pmdex
