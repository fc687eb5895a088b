// By AVX-512 with VBMI: a table of 256 bytes lies in four registers, and one look-up of 64 postings
// is two permutes.
#include <immintrin.h>

#include <algorithm>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"

namespace pmdex {
namespace {

class ByteTable {
 public:
  explicit ByteTable(const LeastFreqs& table)
      : a_(_mm512_load_si512(table.least.data())),
        b_(_mm512_load_si512(table.least.data() + 64)),
        c_(_mm512_load_si512(table.least.data() + 128)),
        d_(_mm512_load_si512(table.least.data() + 192)) {}

  __m512i operator[](__m512i index) const {
    const __m512i low = _mm512_permutex2var_epi8(a_, index, b_);
    const __m512i high = _mm512_permutex2var_epi8(c_, index, d_);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high);
  }

 private:
  __m512i a_, b_, c_, d_;
};

// The lowest n bits, all of them for n >= 64.
uint64_t LowBits(uint32_t n) {
  return _bzhi_u64(~uint64_t{0}, n < 64 ? n : 64);
}

void FilterPostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const LeastFreqs& table,
                    uint64_t* mask) {
  const ByteTable least(table);
  for (uint32_t i = 0; i < n; i += 64) {
    const __m512i needed = least[_mm512_loadu_si512(codes + i)];
    mask[i / 64] = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(freqs + i), needed) & LowBits(n - i);
  }
}

// Eight blocks to a vector: in each eight bytes four tf, then the four codes that they belong to.
void FilterBlocks(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table, uint64_t* mask) {
  const ByteTable least(table);
  for (uint32_t i = 0; i < (n + 63) / 64; ++i) mask[i] = 0;
  for (uint32_t i = 0; i < n; i += 8) {
    const uint64_t bytes = LowBits((n - i) * 8);
    const __m512i points = _mm512_maskz_loadu_epi8(bytes, blocks + i);
    const __m512i needed = least[_mm512_srli_epi64(points, 32)];
    const uint64_t passes = _mm512_cmpge_epu8_mask(points, needed) & bytes & 0x0f0f0f0f0f0f0f0f;
    const __mmask8 any = _mm512_test_epi64_mask(_mm512_movm_epi8(passes), _mm512_set1_epi64(-1));
    mask[i / 64] |= uint64_t{any} << (i % 64);
  }
}

__m512 Score(SimilarityKind kind, __m512 weight, __m512 freq, __m512 length) {
  if (kind == SimilarityKind::kTfidf) {
    return _mm512_mul_ps(_mm512_mul_ps(_mm512_sqrt_ps(freq), weight), length);
  }
  const __m512 denominator = _mm512_add_ps(_mm512_set1_ps(1.0f), _mm512_mul_ps(freq, length));
  return _mm512_sub_ps(weight, _mm512_div_ps(weight, denominator));
}

// Sixteen blocks to a step, a point of each to a vector.
void BlockBounds(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer, float escape_freq,
                 float* out) {
  const __m512 weight = _mm512_set1_ps(scorer.weight);
  const __m512 escape = _mm512_set1_ps(escape_freq);
  const float* lengths = scorer.lengths->data();
  const __m512i low_byte = _mm512_set1_epi32(0xff);
  const __m512i evens =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1));
  for (uint32_t i = 0; i < n; i += 16) {
    const auto here = static_cast<__mmask16>(LowBits(n - i < 16 ? n - i : 16));
    const __m512i a = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(here), blocks + i);
    const __m512i b =
        n - i > 8 ? _mm512_maskz_loadu_epi64(static_cast<__mmask8>(here >> 8), blocks + i + 8)
                  : _mm512_setzero_si512();
    const __m512i tfs = _mm512_permutex2var_epi32(a, evens, b);
    const __m512i codes = _mm512_permutex2var_epi32(a, odds, b);
    __m512 bound = _mm512_setzero_ps();
    for (uint32_t p = 0; p < 32; p += 8) {
      const __m512i tf =
          _mm512_and_si512(_mm512_srl_epi32(tfs, _mm_cvtsi32_si128(static_cast<int>(p))), low_byte);
      const __m512i code = _mm512_and_si512(
          _mm512_srl_epi32(codes, _mm_cvtsi32_si128(static_cast<int>(p))), low_byte);
      __m512 freq = _mm512_cvtepi32_ps(tf);
      freq = _mm512_mask_mov_ps(freq, _mm512_cmpeq_epi32_mask(tf, low_byte), escape);
      const __m512 length = _mm512_i32gather_ps(code, lengths, 4);
      bound = _mm512_max_ps(bound, Score(scorer.kind, weight, freq, length));
    }
    _mm512_mask_storeu_ps(out + i, here, bound);
  }
}

void ScorePostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const TermScorer& scorer,
                   float escape_freq, float* out) {
  const __m512 weight = _mm512_set1_ps(scorer.weight);
  const __m512 escape = _mm512_set1_ps(escape_freq);
  const __m512i most = _mm512_set1_epi32(kFreqEscape);
  const float* lengths = scorer.lengths->data();
  for (uint32_t i = 0; i < n; i += 16) {
    const __m512i tf =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(freqs + i)));
    const __m512i code =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i)));
    const __m512 freq =
        _mm512_mask_mov_ps(_mm512_cvtepi32_ps(tf), _mm512_cmpeq_epi32_mask(tf, most), escape);
    const __m512 length = _mm512_i32gather_ps(code, lengths, 4);
    _mm512_storeu_ps(out + i, Score(scorer.kind, weight, freq, length));
  }
}

void AddScores(const uint64_t* documents, const float* scores, WindowSums& sums) {
  for (size_t i = 0; i < kWindowWords; ++i) {
    const uint64_t word = documents[i];
    if (word == 0) continue;
    for (size_t bit = 0; bit < 64; bit += 16) {
      const auto here = static_cast<__mmask16>(word >> bit);
      float* sum = sums.of.data() + i * 64 + bit;
      const __m512 added = _mm512_maskz_expand_ps(here, _mm512_loadu_ps(scores));
      _mm512_store_ps(sum, _mm512_add_ps(_mm512_load_ps(sum), added));
      scores += _mm_popcnt_u32(here);
    }
  }
}

void KeepSums(const WindowSums& sums, float least, WindowBits& bits) {
  const __m512 bound = _mm512_set1_ps(least);
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (bits.words[word] == 0) continue;
    uint64_t reaches = 0;
    for (size_t bit = 0; bit < 64; bit += 16) {
      const __m512 here = _mm512_load_ps(sums.of.data() + word * 64 + bit);
      reaches |= uint64_t{_mm512_cmp_ps_mask(here, bound, _CMP_GE_OQ)} << bit;
    }
    bits.words[word] &= reaches;
  }
}

// Ascending positions, thirty-two at a time; asked for ascending ones.
class PositionBlocks {
 public:
  explicit PositionBlocks(PositionRun run) : next_(run.data()), end_(run.data() + run.size()) {
    Load();
  }

  bool Has(uint32_t position) {
    while (position > last_ && next_ != end_) Load();
    const __m512i one = _mm512_set1_epi16(static_cast<int16_t>(position));
    const uint32_t found = _mm512_mask_cmpeq_epi16_mask(lanes_, block_, one);
    return found != 0 && position < kPositionPage;
  }

 private:
  void Load() {
    const auto count = static_cast<uint32_t>(std::min<ptrdiff_t>(end_ - next_, 32));
    lanes_ = static_cast<__mmask32>(LowBits(count));
    block_ = _mm512_maskz_loadu_epi16(lanes_, next_);
    next_ += count;
    last_ = count != 0 ? next_[-1] : 0;
  }

  const uint16_t* next_;
  const uint16_t* end_;
  __m512i block_;
  __mmask32 lanes_ = 0;
  uint32_t last_ = 0;  // of the block
};

}  // namespace

const QueryKernels& Avx512QueryKernels() {
  static const QueryKernels kKernels = {SimdLevel::kAvx512,
                                        FillLeastFreqs,
                                        FilterPostings,
                                        FilterBlocks,
                                        BlockBounds,
                                        ScorePostings,
                                        AddScores,
                                        KeepSums,
                                        KeepStartsIn<PositionBlocks>,
                                        CountPairsIn<PositionBlocks>,
                                        Avx2QueryKernels().deposit};  // BMI2 is all that it uses
  return kKernels;
}

}  // namespace pmdex
