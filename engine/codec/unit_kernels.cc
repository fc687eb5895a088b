#include "engine/codec/unit_kernels.h"

#include <bit>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

// Value i of `width` bits, at most 32. Reads eight bytes.
uint32_t ValueAt(const uint8_t* packed, uint32_t width, uint32_t i) {
  const uint64_t bit = uint64_t{width} * i;
  uint64_t word;
  std::memcpy(&word, packed + bit / 8, sizeof(word));
  return static_cast<uint32_t>(word >> (bit % 8) & ((uint64_t{1} << width) - 1));
}

void Docids(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t before, uint32_t* out) {
  for (uint32_t i = 0; i < n; ++i) {
    before += ValueAt(packed, width, i) + 1;
    out[i] = before;
  }
}

void AddUp(uint32_t n, uint32_t before, uint32_t* values) {
  for (uint32_t i = 0; i < n; ++i) {
    before += values[i] + 1;
    values[i] = before;
  }
}

void AddUpWords(const uint16_t* values, uint32_t n, uint16_t before, uint16_t* out) {
  for (uint32_t i = 0; i < n; ++i) {
    before = static_cast<uint16_t>(before + values[i] + 1);
    out[i] = before;
  }
}

void Unpack(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t* out) {
  for (uint32_t i = 0; i < n; ++i) out[i] = ValueAt(packed, width, i);
}

void UnpackBytes(const uint8_t* packed, uint32_t width, uint32_t n, uint8_t least, uint8_t* out) {
  for (uint32_t i = 0; i < n; ++i) {
    out[i] = static_cast<uint8_t>(ValueAt(packed, width, i) + least);
  }
}

void UnpackWords(const uint8_t* packed, uint32_t width, uint32_t n, uint16_t* out) {
  for (uint32_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(ValueAt(packed, width, i));
}

uint32_t FindOnes(const uint8_t* bits, size_t bits_bytes, uint32_t n, uint16_t* places) {
  uint32_t found = 0;
  for (size_t at = 0; at < bits_bytes && found < n; ++at) {
    for (uint32_t left = bits[at]; left != 0 && found < n; left &= left - 1) {
      places[found++] = static_cast<uint16_t>(8 * at + static_cast<size_t>(std::countr_zero(left)));
    }
  }
  return found;
}

void AddZeros(const uint16_t* places, uint32_t n, uint16_t factor, uint16_t* values) {
  for (uint32_t i = 0; i < n; ++i) {
    const auto zeros = static_cast<uint16_t>(places[i + 1] - places[i] - 1);
    values[i] = static_cast<uint16_t>(values[i] + uint32_t{zeros} * factor);
  }
}

bool SumGroups(const uint8_t* bytes, uint32_t n, uint32_t* sums) {
  bool has_greatest = false;
  for (uint32_t i = 0; i < n; ++i) {
    sums[i] = 0;
    for (uint32_t j = 0; j < 16; ++j) {
      sums[i] += bytes[16 * i + j];
      has_greatest |= bytes[16 * i + j] == 255;
    }
  }
  return has_greatest;
}

}  // namespace

const UnitKernels& ScalarUnitKernels() {
  static constexpr UnitKernels kKernels = {
      SimdLevel::kScalar, Docids,      AddUp,    AddUpWords, Unpack,
      UnpackBytes,        UnpackWords, FindOnes, AddZeros,   SumGroups};
  return kKernels;
}

const UnitKernels& UnitKernelsOf(SimdLevel level) {
  PMDEX_CHECK(IsUsable(level));
  if (level == SimdLevel::kAvx512) return Avx512UnitKernels();
  return level == SimdLevel::kAvx2 ? Avx2UnitKernels() : ScalarUnitKernels();
}

const UnitKernels& BestUnitKernels() {
  static const UnitKernels& kernels = UnitKernelsOf(BestSimdLevel());
  return kernels;
}

}  // namespace pmdex
