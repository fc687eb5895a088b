// The kernels for AVX-512 with VBMI and VBMI2. Sixteen values of w bits take 2 w bytes, so that a
// group of them begins at a byte. One permute of bytes puts the four bytes with each value into its
// lane, and a shift and a mask leave the value. Of bytes, 64 are unpacked at once.
#include <immintrin.h>

#include <array>

#include "engine/codec/unit_kernels.h"

namespace pmdex {
namespace {

constexpr uint32_t kLanes = 16;
constexpr uint32_t kWidths = 25;

// Which bytes of a group have the value of each lane, and where in them it begins.
struct alignas(64) Places {
  std::array<uint8_t, 64> bytes{};
  std::array<uint32_t, kLanes> shifts{};
};

constexpr std::array<Places, kWidths> MakePlaces() {
  std::array<Places, kWidths> places{};
  for (uint32_t width = 0; width < kWidths; ++width) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint32_t bit = width * i;
      places[width].shifts[i] = bit % 8;
      for (uint32_t j = 0; j < 4; ++j) {
        places[width].bytes[i * 4 + j] = static_cast<uint8_t>(bit / 8 + j);
      }
    }
  }
  return places;
}
constexpr std::array<Places, kWidths> kPlaces = MakePlaces();

// Gives groups of sixteen values.
class Groups {
 public:
  Groups(const uint8_t* packed, uint32_t width)
      : next_(packed),
        step_(size_t{width} * 2),
        bytes_(_mm512_load_si512(kPlaces[width].bytes.data())),
        shifts_(_mm512_load_si512(kPlaces[width].shifts.data())),
        mask_(_mm512_set1_epi32(static_cast<int>((1u << width) - 1))) {}

  __m512i Next() {
    const __m512i group = _mm512_permutexvar_epi8(bytes_, _mm512_loadu_si512(next_));
    next_ += step_;
    return _mm512_and_si512(_mm512_srlv_epi32(group, shifts_), mask_);
  }

 private:
  const uint8_t* next_;
  size_t step_;
  __m512i bytes_, shifts_, mask_;
};

// Groups of values that are not packed.
class WholeGroups {
 public:
  explicit WholeGroups(const void* values) : next_(static_cast<const uint8_t*>(values)) {}
  __m512i Next() {
    const __m512i group = _mm512_loadu_si512(next_);
    next_ += sizeof(__m512i);
    return group;
  }

 private:
  const uint8_t* next_;
};

__mmask16 FirstLanes(uint32_t n) {
  return static_cast<__mmask16>(_bzhi_u32(0xffff, n));
}

// Lane i: the sum of the lanes up to i.
__m512i SumUp(__m512i values) {
  const __m512i zero = _mm512_setzero_si512();
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 15));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 14));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 12));
  return _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 8));
}

template <typename G>
void AddUpGroups(G groups, uint32_t n, uint32_t before, uint32_t* out) {
  const __m512i last = _mm512_set1_epi32(kLanes - 1);
  const __m512i one = _mm512_set1_epi32(1);
  __m512i sum = _mm512_set1_epi32(static_cast<int>(before));
  for (; n >= kLanes; n -= kLanes, out += kLanes) {
    const __m512i docids = SumUp(_mm512_add_epi32(groups.Next(), one));
    _mm512_storeu_si512(out, _mm512_add_epi32(docids, sum));
    sum = _mm512_add_epi32(sum, _mm512_permutexvar_epi32(last, docids));
  }
  if (n == 0) return;
  const __m512i docids = SumUp(_mm512_add_epi32(groups.Next(), one));
  _mm512_mask_storeu_epi32(out, FirstLanes(n), _mm512_add_epi32(docids, sum));
}

void Docids(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t before, uint32_t* out) {
  if (width == 32) return AddUpGroups(WholeGroups(packed), n, before, out);
  AddUpGroups(Groups(packed, width), n, before, out);
}

void AddUp(uint32_t n, uint32_t before, uint32_t* values) {
  const uint32_t whole = n / kLanes * kLanes;
  AddUpGroups(WholeGroups(values), whole, before, values);
  if (whole != 0) before = values[whole - 1];
  for (uint32_t i = whole; i < n; ++i) values[i] = before += values[i] + 1;
}

template <typename G>
void CopyGroups(G groups, uint32_t n, uint32_t* out) {
  for (; n >= kLanes; n -= kLanes, out += kLanes) _mm512_storeu_si512(out, groups.Next());
  if (n != 0) _mm512_mask_storeu_epi32(out, FirstLanes(n), groups.Next());
}

void Unpack(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t* out) {
  if (width == 32) return CopyGroups(WholeGroups(packed), n, out);
  CopyGroups(Groups(packed, width), n, out);
}

void UnpackWords(const uint8_t* packed, uint32_t width, uint32_t n, uint16_t* out) {
  Groups groups(packed, width);
  for (; n >= kLanes; n -= kLanes, out += kLanes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(groups.Next()));
  }
  if (n != 0) _mm512_mask_cvtepi32_storeu_epi16(out, FirstLanes(n), groups.Next());
}

// Eight values of w bits take w bytes. They go into one lane of 64 bits, out of which
// vpmultishiftqb takes eight bits for each.
void UnpackBytes(const uint8_t* packed, uint32_t width, uint32_t n, uint8_t least, uint8_t* out) {
  constexpr uint32_t kBytes = 64;
  alignas(64) uint8_t places[kBytes];
  alignas(64) uint8_t shifts[kBytes];
  for (uint32_t i = 0; i < kBytes; ++i) {
    places[i] = static_cast<uint8_t>(i / 8 * width + i % 8);
    shifts[i] = static_cast<uint8_t>(i % 8 * width);
  }
  const __m512i bytes = _mm512_load_si512(places);
  const __m512i bits = _mm512_load_si512(shifts);
  const __m512i mask = _mm512_set1_epi8(static_cast<char>((1u << width) - 1));
  const __m512i low = _mm512_set1_epi8(static_cast<char>(least));
  for (;;) {
    const __m512i group = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(packed));
    const __m512i values =
        _mm512_add_epi8(_mm512_and_si512(_mm512_multishift_epi64_epi8(bits, group), mask), low);
    if (n < kBytes) return _mm512_mask_storeu_epi8(out, _bzhi_u64(~uint64_t{0}, n), values);
    _mm512_storeu_si512(out, values);
    n -= kBytes;
    if (n == 0) return;
    out += kBytes;
    packed += size_t{width} * 8;
  }
}

// Takes 64 bits at a time: out of the numbers from 0 to 63 it keeps those of the set bits.
uint32_t FindOnes(const uint8_t* bits, size_t bits_bytes, uint32_t n, uint16_t* places) {
  alignas(64) static constexpr std::array<uint8_t, 64> kNumbers = [] {
    std::array<uint8_t, 64> numbers{};
    for (uint32_t i = 0; i < 64; ++i) numbers[i] = static_cast<uint8_t>(i);
    return numbers;
  }();
  const __m512i numbers = _mm512_load_si512(kNumbers.data());
  uint32_t found = 0;
  for (size_t at = 0; at < bits_bytes && found < n; at += 8) {
    uint64_t word;
    std::memcpy(&word, bits + at, sizeof(word));
    if (bits_bytes - at < 8) word = _bzhi_u64(word, static_cast<uint32_t>(8 * (bits_bytes - at)));
    const auto count = static_cast<uint32_t>(_mm_popcnt_u64(word));
    const __m512i kept = _mm512_maskz_compress_epi8(word, numbers);
    const __m512i base = _mm512_set1_epi16(static_cast<int16_t>(8 * at));
    const __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(kept));
    _mm512_storeu_si512(places + found, _mm512_add_epi16(low, base));
    if (count > 32) {
      const __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(kept, 1));
      _mm512_storeu_si512(places + found + 32, _mm512_add_epi16(high, base));
    }
    found += count;
  }
  return found < n ? found : n;
}

void AddZeros(const uint16_t* places, uint32_t n, uint16_t factor, uint16_t* values) {
  constexpr uint32_t kWords = 32;
  const __m512i one = _mm512_set1_epi16(1);
  const __m512i factors = _mm512_set1_epi16(static_cast<int16_t>(factor));
  for (uint32_t i = 0; i < n; i += kWords) {
    const __mmask32 lanes = n - i >= kWords ? ~uint32_t{0} : _bzhi_u32(~uint32_t{0}, n - i);
    const __m512i gaps = _mm512_sub_epi16(_mm512_maskz_loadu_epi16(lanes, places + i + 1),
                                          _mm512_maskz_loadu_epi16(lanes, places + i));
    const __m512i high = _mm512_mullo_epi16(_mm512_sub_epi16(gaps, one), factors);
    const __m512i low = _mm512_maskz_loadu_epi16(lanes, values + i);
    _mm512_mask_storeu_epi16(values + i, lanes, _mm512_add_epi16(low, high));
  }
}

}  // namespace

const UnitKernels& Avx512UnitKernels() {
  static const UnitKernels kKernels = {
      SimdLevel::kAvx512,
      Docids,
      AddUp,
      Avx2UnitKernels().add_up_words,  // wider vectors take more steps, one after the other
      Unpack,
      UnpackBytes,
      UnpackWords,
      FindOnes,
      AddZeros,
      Avx2UnitKernels().sum_groups};  // a block has no more than 16 groups
  return kKernels;
}

}  // namespace pmdex
