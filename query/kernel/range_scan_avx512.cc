// A value v is in [low, high] if v - low is at most high - low, as unsigned numbers.
#include <immintrin.h>

#include "query/kernel/range_scan.h"

namespace pmdex {
namespace {

struct Bytes {
  static constexpr uint32_t kLanes = 64;
  static __m512i Set(uint64_t value) { return _mm512_set1_epi8(static_cast<char>(value)); }
  static uint64_t InRange(__m512i values, __m512i low, __m512i span) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(values, low), span);
  }
};

struct Words {
  static constexpr uint32_t kLanes = 32;
  static __m512i Set(uint64_t value) { return _mm512_set1_epi16(static_cast<int16_t>(value)); }
  static uint64_t InRange(__m512i values, __m512i low, __m512i span) {
    return _mm512_cmple_epu16_mask(_mm512_sub_epi16(values, low), span);
  }
};

struct Doubles {
  static constexpr uint32_t kLanes = 16;
  static __m512i Set(uint64_t value) { return _mm512_set1_epi32(static_cast<int32_t>(value)); }
  static uint64_t InRange(__m512i values, __m512i low, __m512i span) {
    return _mm512_cmple_epu32_mask(_mm512_sub_epi32(values, low), span);
  }
};

struct Quads {
  static constexpr uint32_t kLanes = 8;
  static __m512i Set(uint64_t value) { return _mm512_set1_epi64(static_cast<int64_t>(value)); }
  static uint64_t InRange(__m512i values, __m512i low, __m512i span) {
    return _mm512_cmple_epu64_mask(_mm512_sub_epi64(values, low), span);
  }
};

template <typename Lanes>
void Scan(const RangeScan& scan, uint64_t* mask) {
  const __m512i low = Lanes::Set(scan.low);
  const __m512i span = Lanes::Set(scan.high - scan.low);
  for (uint32_t i = 0; i < (scan.n + 63) / 64; ++i) mask[i] = 0;
  for (uint32_t i = 0; i < scan.n; i += Lanes::kLanes) {
    const __m512i values = _mm512_loadu_si512(scan.lane + size_t{i} * (64 / Lanes::kLanes));
    mask[i / 64] |= Lanes::InRange(values, low, span) << (i % 64);
  }
  if (scan.n % 64 != 0) mask[scan.n / 64] &= (uint64_t{1} << (scan.n % 64)) - 1;
}

}  // namespace

void ScanRangeAvx512(const RangeScan& scan, uint64_t* mask) {
  switch (scan.value_bytes) {
    case 1:
      return Scan<Bytes>(scan, mask);
    case 2:
      return Scan<Words>(scan, mask);
    case 4:
      return Scan<Doubles>(scan, mask);
    default:
      return Scan<Quads>(scan, mask);
  }
}

}  // namespace pmdex
