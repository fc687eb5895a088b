// Bits are counted by looking up the count of each half byte and adding up the bytes.
#include <immintrin.h>

#include "query/kernel/signature_scan.h"

namespace pmdex {
namespace {

// The number of set bits of each u32.
__m256i CountBits(__m256i values) {
  const __m256i low_half = _mm256_set1_epi8(15);
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(values, 4), low_half);
  const __m256i of_bytes =
      _mm256_add_epi8(_mm256_shuffle_epi8(counts, _mm256_and_si256(values, low_half)),
                      _mm256_shuffle_epi8(counts, high));
  const __m256i of_pairs = _mm256_maddubs_epi16(of_bytes, _mm256_set1_epi8(1));
  return _mm256_madd_epi16(of_pairs, _mm256_set1_epi16(1));
}

struct Word {
  explicit Word(TermSignature word)
      : length(_mm256_set1_epi32(static_cast<int>(word & kMaxSignatureLength))),
        classes(_mm256_set1_epi32(static_cast<int>(word & ~kMaxSignatureLength))),
        not_added(_mm256_set1_epi32(static_cast<int>(word | kMaxSignatureLength))) {}

  // LeastEdits of the word and eight terms.
  __m256i LeastEditsOf(__m256i terms) const {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lengths =
        _mm256_and_si256(terms, _mm256_set1_epi32(static_cast<int>(kMaxSignatureLength)));
    const __m256i longer = _mm256_sub_epi32(lengths, length);
    const __m256i missing = CountBits(_mm256_andnot_si256(terms, classes));
    const __m256i added = CountBits(_mm256_andnot_si256(not_added, terms));
    const __m256i shorter = _mm256_sub_epi32(zero, longer);
    return _mm256_max_epi32(_mm256_add_epi32(missing, _mm256_max_epi32(longer, zero)),
                            _mm256_add_epi32(added, _mm256_max_epi32(shorter, zero)));
  }

  __m256i length, classes, not_added;
};

uint32_t MaskOf(__m256i lanes) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

}  // namespace

void ScanSignaturesAvx2(const SignatureScan& scan, uint16_t* near, uint16_t* far) {
  const Word word(scan.word);
  const __m256i two = _mm256_set1_epi32(2);
  for (size_t block = 0; block < scan.block_count; ++block) {
    uint32_t is_near = 0;
    uint32_t is_far = 0;
    for (uint32_t first = 0; first < kTermsPerBlock; first += 8) {
      const TermSignature* const terms = scan.blocks[block].of_term + first;
      const __m256i edits =
          word.LeastEditsOf(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms)));
      is_near |= MaskOf(_mm256_cmpgt_epi32(two, edits)) << first;
      is_far |= MaskOf(_mm256_cmpeq_epi32(two, edits)) << first;
    }
    near[block] = static_cast<uint16_t>(is_near);
    far[block] = static_cast<uint16_t>(is_far);
  }
}

void FindClassesAvx2(const ClassScan& scan, uint16_t* masks) {
  const __m256i classes = _mm256_set1_epi32(static_cast<int>(scan.classes));
  for (size_t block = 0; block < scan.block_count; ++block) {
    uint32_t mask = 0;
    for (uint32_t first = 0; first < kTermsPerBlock; first += 8) {
      const TermSignature* const terms = scan.blocks[block].of_term + first;
      const __m256i found =
          _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms)), classes);
      mask |= MaskOf(_mm256_cmpeq_epi32(found, classes)) << first;
    }
    masks[block] = static_cast<uint16_t>(mask);
  }
}

}  // namespace pmdex
