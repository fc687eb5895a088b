#include <immintrin.h>

#include "query/kernel/signature_scan.h"

namespace pmdex {

static_assert(sizeof(BlockSignatures) == sizeof(__m512i));

void ScanSignaturesAvx512(const SignatureScan& scan, uint16_t* near, uint16_t* far) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i two = _mm512_set1_epi32(2);
  const __m512i lengths = _mm512_set1_epi32(static_cast<int>(kMaxSignatureLength));
  const __m512i word = _mm512_set1_epi32(static_cast<int>(scan.word));
  const __m512i length = _mm512_and_si512(word, lengths);
  const __m512i classes = _mm512_andnot_si512(lengths, word);
  const __m512i not_added = _mm512_or_si512(word, lengths);
  for (size_t block = 0; block < scan.block_count; ++block) {
    const __m512i terms = _mm512_loadu_si512(scan.blocks + block);
    const __m512i longer = _mm512_sub_epi32(_mm512_and_si512(terms, lengths), length);
    const __m512i shorter = _mm512_sub_epi32(zero, longer);
    const __m512i missing = _mm512_popcnt_epi32(_mm512_andnot_si512(terms, classes));
    const __m512i added = _mm512_popcnt_epi32(_mm512_andnot_si512(not_added, terms));
    const __m512i edits =
        _mm512_max_epi32(_mm512_add_epi32(missing, _mm512_max_epi32(longer, zero)),
                         _mm512_add_epi32(added, _mm512_max_epi32(shorter, zero)));
    near[block] = _mm512_cmplt_epi32_mask(edits, two);
    far[block] = _mm512_cmpeq_epi32_mask(edits, two);
  }
}

void FindClassesAvx512(const ClassScan& scan, uint16_t* masks) {
  const __m512i classes = _mm512_set1_epi32(static_cast<int>(scan.classes));
  for (size_t block = 0; block < scan.block_count; ++block) {
    const __m512i terms = _mm512_loadu_si512(scan.blocks + block);
    masks[block] = _mm512_cmpeq_epi32_mask(_mm512_and_si512(terms, classes), classes);
  }
}

}  // namespace pmdex
