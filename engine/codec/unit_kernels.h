// The loops that unpack the units of compressed posting lists (UnitHeader in unit_format.h), as one
// table of functions for each instruction set. All tables give the same results to the bit, for
// damaged input too; the scalar functions are the reference.
//
// Packed values lie one behind the other, the low bits of each first. The functions write exactly n
// elements, but for find_ones. They may read up to kUnpackSlack bytes behind the packed values.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pmem/cpu_features.h"

namespace pmdex {

inline constexpr size_t kUnpackSlack = 64;

struct UnitKernels {
  SimdLevel level;
  // Unpacks n gaps of `width` bits and adds them up: out[0] = before + gap[0] + 1, and
  // out[i] = out[i - 1] + gap[i] + 1, modulo 2^32. width: 0..24 or 32.
  void (*docids)(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t before, uint32_t* out);
  // Replaces the gaps in `values` by the docids in the same way.
  void (*add_up)(uint32_t n, uint32_t before, uint32_t* values);
  // The same for 16-bit values, modulo 2^16, from `values` to `out`. n: at least 1.
  void (*add_up_words)(const uint16_t* values, uint32_t n, uint16_t before, uint16_t* out);
  // out[i] = value i. width: 0..24 or 32.
  void (*unpack)(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t* out);
  // out[i] = value i + least, modulo 2^8. width: 0..8.
  void (*unpack_bytes)(const uint8_t* packed, uint32_t width, uint32_t n, uint8_t least,
                       uint8_t* out);
  // out[i] = value i. width: 0..16.
  void (*unpack_words)(const uint8_t* packed, uint32_t width, uint32_t n, uint16_t* out);
  // places[i] = where bit i of those that are set in `bits` is, modulo 2^16, as far as n of them
  // go. Returns how many of the n there are. Elements of `places` behind them, up to n + 64, become
  // undefined.
  uint32_t (*find_ones)(const uint8_t* bits, size_t bits_bytes, uint32_t n, uint16_t* places);
  // values[i] += (places[i + 1] - places[i] - 1) * factor for i < n, modulo 2^16.
  void (*add_zeros)(const uint16_t* places, uint32_t n, uint16_t factor, uint16_t* values);
  // sums[i] = the sum of the 16 bytes from bytes + 16 * i on, for i < n. Returns whether one of all
  // these bytes is 255. Reads no byte behind them.
  bool (*sum_groups)(const uint8_t* bytes, uint32_t n, uint32_t* sums);
};

const UnitKernels& ScalarUnitKernels();
const UnitKernels& Avx2UnitKernels();    // requires CpuFeatures::avx2
const UnitKernels& Avx512UnitKernels();  // requires CpuFeatures::avx512

// Requires IsUsable(level).
const UnitKernels& UnitKernelsOf(SimdLevel level);
const UnitKernels& BestUnitKernels();  // of this CPU

}  // namespace pmdex
