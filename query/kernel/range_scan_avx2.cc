// A value v is in [low, high] if v - low is at most high - low, as unsigned numbers. AVX2 has no
// unsigned comparison: the lesser of both equals the left one where it is at most the right one.
#include <immintrin.h>

#include "query/kernel/range_scan.h"

namespace pmdex {
namespace {

template <typename Compare>
void Scan(const RangeScan& scan, const Compare& compare, uint64_t* mask) {
  for (uint32_t i = 0; i < (scan.n + 63) / 64; ++i) mask[i] = 0;
  for (uint32_t i = 0; i < scan.n; i += Compare::kLanes) {
    const std::byte* const at = scan.lane + size_t{i} * (32 / Compare::kLanes);
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    mask[i / 64] |= uint64_t{compare.InRange(values)} << (i % 64);
  }
  if (scan.n % 64 != 0) mask[scan.n / 64] &= (uint64_t{1} << (scan.n % 64)) - 1;
}

struct Bytes {
  static constexpr uint32_t kLanes = 32;
  explicit Bytes(const RangeScan& scan)
      : low(_mm256_set1_epi8(static_cast<char>(scan.low))),
        span(_mm256_set1_epi8(static_cast<char>(scan.high - scan.low))) {}
  uint32_t InRange(__m256i values) const {
    const __m256i above = _mm256_sub_epi8(values, low);
    const __m256i is_in = _mm256_cmpeq_epi8(_mm256_min_epu8(above, span), above);
    return static_cast<uint32_t>(_mm256_movemask_epi8(is_in));
  }
  __m256i low, span;
};

struct Words {
  static constexpr uint32_t kLanes = 16;
  explicit Words(const RangeScan& scan)
      : low(_mm256_set1_epi16(static_cast<int16_t>(scan.low))),
        span(_mm256_set1_epi16(static_cast<int16_t>(scan.high - scan.low))) {}
  uint32_t InRange(__m256i values) const {
    const __m256i above = _mm256_sub_epi16(values, low);
    const __m256i is_in = _mm256_cmpeq_epi16(_mm256_min_epu16(above, span), above);
    const auto bytes = static_cast<uint32_t>(_mm256_movemask_epi8(is_in));
    return _pext_u32(bytes, 0x55555555);
  }
  __m256i low, span;
};

struct Doubles {
  static constexpr uint32_t kLanes = 8;
  explicit Doubles(const RangeScan& scan)
      : low(_mm256_set1_epi32(static_cast<int32_t>(scan.low))),
        span(_mm256_set1_epi32(static_cast<int32_t>(scan.high - scan.low))) {}
  uint32_t InRange(__m256i values) const {
    const __m256i above = _mm256_sub_epi32(values, low);
    const __m256i is_in = _mm256_cmpeq_epi32(_mm256_min_epu32(above, span), above);
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_in)));
  }
  __m256i low, span;
};

// With the sign bits flipped, a signed comparison is an unsigned one.
struct Quads {
  static constexpr uint32_t kLanes = 4;
  explicit Quads(const RangeScan& scan)
      : low(_mm256_set1_epi64x(static_cast<int64_t>(scan.low))),
        sign(_mm256_set1_epi64x(INT64_MIN)),
        span(_mm256_set1_epi64x(
            static_cast<int64_t>((scan.high - scan.low) ^ (uint64_t{1} << 63)))) {}
  uint32_t InRange(__m256i values) const {
    const __m256i above = _mm256_xor_si256(_mm256_sub_epi64(values, low), sign);
    const __m256i is_out = _mm256_cmpgt_epi64(above, span);
    return ~static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(is_out))) & 0xf;
  }
  __m256i low, sign, span;
};

}  // namespace

void ScanRangeAvx2(const RangeScan& scan, uint64_t* mask) {
  switch (scan.value_bytes) {
    case 1:
      return Scan(scan, Bytes(scan), mask);
    case 2:
      return Scan(scan, Words(scan), mask);
    case 4:
      return Scan(scan, Doubles(scan), mask);
    default:
      return Scan(scan, Quads(scan), mask);
  }
}

}  // namespace pmdex
