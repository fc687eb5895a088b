// The kernels for AVX2 with BMI2. Eight values of w bits take w bytes, so that a group of them
// begins at a byte. A shuffle puts the four bytes with each value into its lane, four values from
// each half of the group. Bytes are unpacked eight at a time by pdep.
#include <immintrin.h>

#include <array>
#include <cstring>

#include "engine/codec/unit_kernels.h"

namespace pmdex {
namespace {

constexpr uint32_t kLanes = 8;
constexpr uint32_t kWidths = 25;

// Which bytes of a group have the value of each lane, and where in them it begins. The upper four
// values are counted from byte half.
struct alignas(32) Places {
  std::array<uint8_t, 32> bytes{};
  std::array<uint32_t, kLanes> shifts{};
  uint32_t half = 0;
};

constexpr std::array<Places, kWidths> MakePlaces() {
  std::array<Places, kWidths> places{};
  for (uint32_t width = 0; width < kWidths; ++width) {
    places[width].half = width * 4 / 8;
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint32_t bit = width * i - (i < 4 ? 0 : places[width].half * 8);
      places[width].shifts[i] = bit % 8;
      for (uint32_t j = 0; j < 4; ++j) {
        places[width].bytes[i * 4 + j] = static_cast<uint8_t>(bit / 8 + j);
      }
    }
  }
  return places;
}
constexpr std::array<Places, kWidths> kPlaces = MakePlaces();

// Gives groups of eight values.
class Groups {
 public:
  Groups(const uint8_t* packed, uint32_t width)
      : next_(packed),
        step_(width),
        half_(kPlaces[width].half),
        bytes_(Load(kPlaces[width].bytes.data())),
        shifts_(Load(kPlaces[width].shifts.data())),
        mask_(_mm256_set1_epi32(static_cast<int>((1u << width) - 1))) {}

  __m256i Next() {
    const auto* low = reinterpret_cast<const __m128i*>(next_);
    const auto* high = reinterpret_cast<const __m128i*>(next_ + half_);
    const __m256i group = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                                  _mm_loadu_si128(high), 1);
    next_ += step_;
    return _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(group, bytes_), shifts_), mask_);
  }

 private:
  static __m256i Load(const void* from) {
    return _mm256_load_si256(static_cast<const __m256i*>(from));
  }

  const uint8_t* next_;
  size_t step_, half_;
  __m256i bytes_, shifts_, mask_;
};

// Groups of values that are not packed.
class WholeGroups {
 public:
  explicit WholeGroups(const void* values) : next_(static_cast<const uint8_t*>(values)) {}
  __m256i Next() {
    const __m256i group = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(next_));
    next_ += sizeof(__m256i);
    return group;
  }

 private:
  const uint8_t* next_;
};

void Store(__m256i values, uint32_t* out) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
}

void StoreFirst(__m256i values, uint32_t n, uint32_t* out) {
  alignas(32) uint32_t copy[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(copy), values);
  std::memcpy(out, copy, n * sizeof(uint32_t));
}

// Lane i: the sum of the lanes up to i.
__m256i SumUp(__m256i values) {
  values = _mm256_add_epi32(values, _mm256_slli_si256(values, 4));
  values = _mm256_add_epi32(values, _mm256_slli_si256(values, 8));
  const __m256i low = _mm256_permute2x128_si256(values, values, 0x08);  // zeros, the lower half
  return _mm256_add_epi32(values, _mm256_shuffle_epi32(low, 0xff));
}

template <typename G>
void AddUpGroups(G groups, uint32_t n, uint32_t before, uint32_t* out) {
  const __m256i last = _mm256_set1_epi32(kLanes - 1);
  const __m256i one = _mm256_set1_epi32(1);
  __m256i sum = _mm256_set1_epi32(static_cast<int>(before));
  for (; n >= kLanes; n -= kLanes, out += kLanes) {
    const __m256i docids = SumUp(_mm256_add_epi32(groups.Next(), one));
    Store(_mm256_add_epi32(docids, sum), out);
    sum = _mm256_add_epi32(sum, _mm256_permutevar8x32_epi32(docids, last));
  }
  if (n == 0) return;
  const __m256i docids = SumUp(_mm256_add_epi32(groups.Next(), one));
  StoreFirst(_mm256_add_epi32(docids, sum), n, out);
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
  for (; n >= kLanes; n -= kLanes, out += kLanes) Store(groups.Next(), out);
  if (n != 0) StoreFirst(groups.Next(), n, out);
}

void Unpack(const uint8_t* packed, uint32_t width, uint32_t n, uint32_t* out) {
  if (width == 32) return CopyGroups(WholeGroups(packed), n, out);
  CopyGroups(Groups(packed, width), n, out);
}

void UnpackWords(const uint8_t* packed, uint32_t width, uint32_t n, uint16_t* out) {
  Groups groups(packed, width);
  while (n != 0) {
    const __m256i group = groups.Next();
    const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packus_epi32(group, group), 0x08);
    alignas(32) uint16_t copy[2 * kLanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(copy), pairs);
    const uint32_t count = n < kLanes ? n : kLanes;
    std::memcpy(out, copy, count * sizeof(uint16_t));
    out += count;
    n -= count;
  }
}

void UnpackBytes(const uint8_t* packed, uint32_t width, uint32_t n, uint8_t least, uint8_t* out) {
  const uint64_t mask = 0x0101010101010101 * ((uint64_t{1} << width) - 1);
  const __m128i low = _mm_set1_epi8(static_cast<char>(least));
  while (n != 0) {
    uint64_t word;
    std::memcpy(&word, packed, sizeof(word));
    const auto bytes = static_cast<long long>(_pdep_u64(word, mask));
    const auto values =
        static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_add_epi8(_mm_cvtsi64_si128(bytes), low)));
    const uint32_t count = n < 8 ? n : 8;
    if (count == 8) {
      std::memcpy(out, &values, 8);
    } else {
      std::memcpy(out, &values, count);
    }
    packed += width;
    out += count;
    n -= count;
  }
}

// Adds up eight values at a time, in three steps; the last sum is added to all of the next eight.
void AddUpWords(const uint16_t* values, uint32_t n, uint16_t before, uint16_t* out) {
  constexpr uint32_t kWords = 8;
  const __m128i one = _mm_set1_epi16(1);
  const __m128i last = _mm_set1_epi16(0x0f0e);  // the bytes of the last word
  __m128i sums = _mm_set1_epi16(static_cast<int16_t>(before));
  uint32_t i = 0;
  for (; i + kWords <= n; i += kWords) {
    __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + i));
    x = _mm_add_epi16(x, one);
    x = _mm_add_epi16(x, _mm_slli_si128(x, 2));
    x = _mm_add_epi16(x, _mm_slli_si128(x, 4));
    x = _mm_add_epi16(x, _mm_slli_si128(x, 8));
    x = _mm_add_epi16(x, sums);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), x);
    sums = _mm_shuffle_epi8(x, last);
  }
  before = static_cast<uint16_t>(_mm_extract_epi16(sums, 0));
  for (; i < n; ++i) {
    before = static_cast<uint16_t>(before + values[i] + 1);
    out[i] = before;
  }
}

// Takes 64 bits at a time, and four ones at a time, of which some may not be there.
uint32_t FindOnes(const uint8_t* bits, size_t bits_bytes, uint32_t n, uint16_t* places) {
  uint32_t found = 0;
  for (size_t at = 0; at < bits_bytes && found < n; at += 8) {
    uint64_t word;
    std::memcpy(&word, bits + at, sizeof(word));
    if (bits_bytes - at < 8) word = _bzhi_u64(word, static_cast<uint32_t>(8 * (bits_bytes - at)));
    const auto count = static_cast<uint32_t>(_mm_popcnt_u64(word));
    uint16_t* out = places + found;
    for (uint32_t i = 0; i < count; i += 4) {
      for (uint32_t j = 0; j < 4; ++j) {
        out[i + j] = static_cast<uint16_t>(8 * at + _tzcnt_u64(word));
        word = _blsr_u64(word);
      }
    }
    found += count;
  }
  return found < n ? found : n;
}

void AddZeros(const uint16_t* places, uint32_t n, uint16_t factor, uint16_t* values) {
  constexpr uint32_t kWords = 16;
  const __m256i one = _mm256_set1_epi16(1);
  const __m256i factors = _mm256_set1_epi16(static_cast<int16_t>(factor));
  uint32_t i = 0;
  for (; i + kWords <= n; i += kWords) {
    const auto load = [](const uint16_t* from) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    };
    const __m256i gaps = _mm256_sub_epi16(load(places + i + 1), load(places + i));
    const __m256i high = _mm256_mullo_epi16(_mm256_sub_epi16(gaps, one), factors);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + i),
                        _mm256_add_epi16(load(values + i), high));
  }
  for (; i < n; ++i) {
    const auto zeros = static_cast<uint16_t>(places[i + 1] - places[i] - 1);
    values[i] = static_cast<uint16_t>(values[i] + uint32_t{zeros} * factor);
  }
}

bool SumGroups(const uint8_t* bytes, uint32_t n, uint32_t* sums) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i greatest = _mm256_set1_epi8(-1);
  __m256i found = zero;
  const auto store = [sums](uint32_t i, __m128i halves) {
    sums[i] = static_cast<uint32_t>(_mm_cvtsi128_si32(halves)) +
              static_cast<uint32_t>(_mm_extract_epi16(halves, 4));
  };
  uint32_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const __m256i two = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 16 * i));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi8(two, greatest));
    const __m256i halves = _mm256_sad_epu8(two, zero);
    store(i, _mm256_castsi256_si128(halves));
    store(i + 1, _mm256_extracti128_si256(halves, 1));
  }
  if (i < n) {
    const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    const __m128i of_one = _mm_cmpeq_epi8(one, _mm256_castsi256_si128(greatest));
    found = _mm256_or_si256(found, _mm256_zextsi128_si256(of_one));
    store(i, _mm_sad_epu8(one, _mm256_castsi256_si128(zero)));
  }
  return _mm256_testz_si256(found, found) == 0;
}

}  // namespace

const UnitKernels& Avx2UnitKernels() {
  static constexpr UnitKernels kKernels = {SimdLevel::kAvx2, Docids,      AddUp,       AddUpWords,
                                           Unpack,           UnpackBytes, UnpackWords, FindOnes,
                                           AddZeros,         SumGroups};
  return kKernels;
}

}  // namespace pmdex
