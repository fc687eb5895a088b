// Words by AVX2 with BMI: a chunk is two vectors, its classes come from two shuffles, one for each
// half of a byte, and tokens are written one by one.
#include <immintrin.h>

#include <array>
#include <cstring>

#include "engine/analysis/chunk_words.h"
#include "engine/analysis/word_kernel.h"

namespace pmdex {
namespace {

// ByteClasses as the conjunction of two look-ups, low[c & 15] & high[c >> 4]: a bit stands for a
// class and a set of low halves, and is set in high where the class has that set.
struct HalfByteTables {
  std::array<uint8_t, 16> low{};
  std::array<uint8_t, 16> high{};
  std::array<uint8_t, 256> bits_of_class{};  // by ByteClass bit: the bits that stand for it
};

template <typename Ascii>
constexpr HalfByteTables MakeHalfByteTables() {
  HalfByteTables tables;
  std::array<unsigned, 8> set_of_bit{};
  std::array<unsigned, 8> class_of_bit{};
  unsigned bits = 0;
  for (unsigned high = 0; high < 8; ++high) {
    for (unsigned is = 1; is < ByteClass::kNonAscii; is *= 2) {
      unsigned set = 0;
      for (unsigned low = 0; low < 16; ++low) {
        if ((kByteClasses<Ascii>[high * 16 + low] & is) != 0) set |= 1U << low;
      }
      if (set == 0) continue;
      unsigned bit = 0;
      while (bit < bits && (set_of_bit[bit] != set || class_of_bit[bit] != is)) ++bit;
      if (bit == bits) ++bits;
      set_of_bit.at(bit) = set;  // fails to compile beyond eight
      class_of_bit.at(bit) = is;
      tables.high[high] |= static_cast<uint8_t>(1U << bit);
    }
  }
  for (unsigned bit = 0; bit < bits; ++bit) {
    tables.bits_of_class[class_of_bit[bit]] |= static_cast<uint8_t>(1U << bit);
    for (unsigned low = 0; low < 16; ++low) {
      if ((set_of_bit[bit] >> low & 1) != 0) tables.low[low] |= static_cast<uint8_t>(1U << bit);
    }
  }
  return tables;
}

template <typename AsciiRules>
class Avx2 {
 public:
  using Ascii = AsciiRules;
  struct Chunk {
    __m256i low;
    __m256i high;
  };

  Chunk Load(const char* p, size_t size) const {
    alignas(32) std::array<char, kChunkBytes> copy;
    if (size < kChunkBytes) [[unlikely]] {
      std::memset(copy.data(), ' ', kChunkBytes);
      std::memcpy(copy.data(), p, size);
      p = copy.data();
    }
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))};
  }

  Chunk ClassesOf(const Chunk& chunk) const {
    return {ClassesOf(chunk.low), ClassesOf(chunk.high)};
  }
  uint64_t MaskOf(const Chunk& classes, uint8_t is) const {
    return MaskOf(classes.low, classes.high, BitsOf(is));
  }
  uint64_t NonAscii(const Chunk& chunk) const {
    return Joined(_mm256_movemask_epi8(chunk.low), _mm256_movemask_epi8(chunk.high));
  }
  Chunk Folded(const Chunk& chunk) const { return {Folded(chunk.low), Folded(chunk.high)}; }

  void Store(const Chunk& chunk, char* out) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), chunk.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32), chunk.high);
  }

  // Four at a time, whether there are so many or not: fewer chunks mispredict.
  void Emit(const ChunkWords& words, const TokenCursor& at, uint32_t offset) const {
    uint64_t begins = words.begins;
    uint64_t ends = words.ends;
    for (unsigned first = 0; first < words.count; first += kAtATime) {
      for (unsigned i = first; i < first + kAtATime; ++i) {
        const unsigned begin = TrailingZeros(begins);
        const unsigned end = TrailingZeros(ends);
        begins &= begins - 1;
        ends &= ends - 1;
        Token& token = at.token[i];
        token.term = {at.term + begin, end - begin};
        token.position = at.position + i;
        token.begin = offset + begin;
        token.end = offset + end;
      }
    }
  }

 private:
  static constexpr unsigned kAtATime = 4;
  static_assert(kAtATime <= TokenCursor::kSpareTokens);

  static constexpr HalfByteTables kTables = MakeHalfByteTables<Ascii>();

  static constexpr uint8_t BitsOf(uint8_t classes) {
    uint8_t bits = 0;
    for (unsigned is = 1; is < ByteClass::kNonAscii; is *= 2) {
      if ((classes & is) != 0) bits |= kTables.bits_of_class[is];
    }
    return bits;
  }

  static __m256i TableOf(const std::array<uint8_t, 16>& bytes) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
  }
  static uint64_t Joined(int low, int high) {
    return static_cast<uint32_t>(low) | uint64_t{static_cast<uint32_t>(high)} << 32;
  }
  static uint64_t MaskOf(__m256i low, __m256i high, uint8_t bits) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(bits));
    const __m256i not_low = _mm256_cmpeq_epi8(_mm256_and_si256(low, wanted), zero);
    const __m256i not_high = _mm256_cmpeq_epi8(_mm256_and_si256(high, wanted), zero);
    return ~Joined(_mm256_movemask_epi8(not_low), _mm256_movemask_epi8(not_high));
  }
  static __m256i Folded(__m256i x) {
    // 'A' to 'Z' become the 26 lowest of signed bytes.
    const __m256i moved = _mm256_add_epi8(x, _mm256_set1_epi8(128 - 'A'));
    const __m256i is_upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(-128 + 26), moved);
    return _mm256_add_epi8(x, _mm256_and_si256(is_upper, _mm256_set1_epi8('a' - 'A')));
  }

  __m256i ClassesOf(__m256i x) const {
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
    return _mm256_and_si256(_mm256_shuffle_epi8(low_table_, x),
                            _mm256_shuffle_epi8(high_table_, half));
  }

  __m256i low_table_ = TableOf(kTables.low);
  __m256i high_table_ = TableOf(kTables.high);
};

}  // namespace

WordKernels Avx2WordKernels() {
  return {TakeWords<Avx2<StandardAscii>>, TakeWords<Avx2<LogAscii>>,
          TakeWords<Avx2<WhitespaceAscii>>};
}

}  // namespace pmdex
