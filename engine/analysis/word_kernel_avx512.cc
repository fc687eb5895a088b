// Words by AVX-512 with VBMI and VBMI2: classes and case by one table look-up each, tokens two to a
// store from the compressed places of their begins and ends.
#include <immintrin.h>

#include "engine/analysis/chunk_words.h"
#include "engine/analysis/word_kernel.h"

namespace pmdex {
namespace {

template <typename AsciiRules>
class Avx512 {
 public:
  using Ascii = AsciiRules;
  struct Chunk {
    __m512i bytes;
  };

  Chunk Load(const char* p, size_t size) const {
    if (size == kChunkBytes) [[likely]]
      return {_mm512_loadu_si512(p)};
    const __mmask64 in_text = (uint64_t{1} << size) - 1;
    return {_mm512_mask_loadu_epi8(_mm512_set1_epi8(' '), in_text, p)};
  }

  __m512i ClassesOf(const Chunk& chunk) const {
    return _mm512_permutex2var_epi8(low_classes_, chunk.bytes, high_classes_);
  }
  uint64_t MaskOf(__m512i classes, uint8_t is) const {
    return _mm512_test_epi8_mask(classes, _mm512_set1_epi8(static_cast<char>(is)));
  }
  uint64_t NonAscii(const Chunk& chunk) const { return _mm512_movepi8_mask(chunk.bytes); }
  Chunk Folded(const Chunk& chunk) const {
    const __m512i x = chunk.bytes;
    const __m512i upper = _mm512_sub_epi8(x, _mm512_set1_epi8('A'));
    const __mmask64 is_upper = _mm512_cmplt_epu8_mask(upper, _mm512_set1_epi8(26));
    return {_mm512_mask_add_epi8(x, is_upper, x, _mm512_set1_epi8('a' - 'A'))};
  }

  void Store(const Chunk& chunk, char* out) const { _mm512_storeu_si512(out, chunk.bytes); }

  // Token by token a scalar loop needs a dozen instructions. Here a pair of tokens is one permute
  // that takes each field's bytes from the table of places, one add of what they count from, and
  // one store. kPairs pairs at a time, whether there are so many or not: hardly a chunk then
  // mispredicts.
  void Emit(const ChunkWords& words, const TokenCursor& at, uint32_t offset) const {
    __m512i begins = _mm512_maskz_compress_epi8(words.begins, counting_);
    __m512i ends = _mm512_maskz_compress_epi8(words.ends, counting_);
    __m512i base = BaseOf(at, offset);
    for (unsigned first = 0; first < words.count; first += 2 * kPairs) {
      const __m512i places = PlacesOf(begins, ends);
      __m512i fields = fields_;
      for (unsigned pair = 0; pair < kPairs; ++pair) {
        const __m512i delta = _mm512_maskz_permutexvar_epi8(kFieldBytes, fields, places);
        _mm512_storeu_si512(at.token + first + 2 * pair, _mm512_add_epi64(base, delta));
        fields = _mm512_add_epi8(fields, _mm512_set1_epi8(2));
        base = _mm512_add_epi64(base, two_positions_);
      }
      begins = DropPairs(begins);
      ends = DropPairs(ends);
    }
  }

 private:
  static constexpr unsigned kPairs = 8;
  static_assert(32 + 2 * kPairs <= 32 + TokenCursor::kSpareTokens);

  // Of a token (little-endian, libstdc++'s string_view: size, then data), the lowest bytes of what
  // is added to the base: size, data, begin and end; twice.
  static constexpr __mmask64 kFieldBytes = 0x1100'0101'1100'0101;

  static __m512i TableAt(const uint8_t* bytes) { return _mm512_loadu_si512(bytes); }

  static __m512i BaseOf(const TokenCursor& at, uint32_t offset) {
    const auto term = reinterpret_cast<int64_t>(at.term);
    const auto offsets = static_cast<int64_t>(offset * 0x1'0000'0001ULL);
    const __m256i token = _mm256_set_epi64x(offsets, at.position, term, 0);
    const __m512i second = _mm512_set_epi64(0, 1, 0, 0, 0, 0, 0, 0);
    return _mm512_add_epi64(_mm512_broadcast_i64x4(token), second);
  }

  // The first sixteen begins, ends and sizes, in this order.
  static __m512i PlacesOf(__m512i begins, __m512i ends) {
    const __m128i begin = _mm512_castsi512_si128(begins);
    const __m128i end = _mm512_castsi512_si128(ends);
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(begin), end, 1);
    const __m256i sizes = _mm256_castsi128_si256(_mm_sub_epi8(end, begin));
    return _mm512_inserti64x4(_mm512_castsi256_si512(both), sizes, 1);
  }

  static __m512i DropPairs(__m512i places) {
    static_assert(2 * kPairs % 4 == 0);
    return _mm512_alignr_epi32(_mm512_setzero_si512(), places, 2 * kPairs / 4);
  }

  __m512i low_classes_ = TableAt(kByteClasses<Ascii>.data());
  __m512i high_classes_ = TableAt(kByteClasses<Ascii>.data() + 64);
  __m512i counting_ = _mm512_set_epi8(
      63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
      40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
      17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  // Which of the places the field bytes of the first two tokens are.
  __m512i fields_ = _mm512_set_epi64(17LL << 32 | 1, 0, 1, 33, 16LL << 32, 0, 0, 32);
  __m512i two_positions_ = _mm512_set_epi64(0, 2, 0, 0, 0, 2, 0, 0);
};

}  // namespace

WordKernels Avx512WordKernels() {
  return {TakeWords<Avx512<StandardAscii>>, TakeWords<Avx512<LogAscii>>,
          TakeWords<Avx512<WhitespaceAscii>>};
}

}  // namespace pmdex
