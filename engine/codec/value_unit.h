// Encodes 16-bit values as units of kUnitBytes and decodes them (ValueUnitHeader in format.h).
// Positions are stored as such values. Encoding trusts its input; decoding trusts nothing, as in
// compressed_unit.h. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/unit_kernels.h"
#include "engine/segment/format.h"

namespace pmdex {

// Writes one unit with as many of the values as fit. first_value: the index of the first of them.
// Requires at least one value. EncodedUnit::postings is the number of values.
EncodedUnit EncodeValueUnit(std::span<const uint16_t> values, uint32_t first_value,
                            std::span<std::byte, kUnitBytes> out);

// A unit whose header was checked.
struct ValueUnitView {
  uint32_t first_value = 0;
  uint32_t count = 0;  // 1..kUnitPostings
  uint8_t width = 0;
  uint8_t exceptions = 0;
  const uint8_t* packed = nullptr;
  const uint8_t* places = nullptr;
  size_t bytes = 0;  // to the end of the last exception
};

// As ParseUnit. HasRightCheck serves these units, too.
std::optional<ValueUnitView> ParseValueUnit(std::span<const std::byte> unit);
// Writes unit.count elements. May read kUnpackSlack bytes behind the unit.
void DecodeValues(const ValueUnitView& unit, const UnitKernels& kernels, uint16_t* out);

}  // namespace pmdex
