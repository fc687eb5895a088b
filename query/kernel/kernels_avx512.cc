// The kernels for AVX-512 with VBMI. A table of 256 bytes lies in four registers, and a look-up for
// 64 postings takes two permutes.
#include <immintrin.h>

#include <algorithm>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"
#include "query/kernel/vector_loops.h"

namespace pmdex {
namespace {

class ByteTable {
 public:
  static constexpr uint32_t kBlocks = 8;

  explicit ByteTable(const LeastFreqs& table)
      : a_(_mm512_load_si512(table.least.data())),
        b_(_mm512_load_si512(table.least.data() + 64)),
        c_(_mm512_load_si512(table.least.data() + 128)),
        d_(_mm512_load_si512(table.least.data() + 192)) {}

  uint64_t PassingPostings(const uint8_t* freqs, const uint8_t* codes) const {
    const __m512i needed = LookUp(_mm512_loadu_si512(codes));
    return _mm512_cmpge_epu8_mask(_mm512_loadu_si512(freqs), needed);
  }

  // In each eight bytes lie four tf, then the four codes that they belong to.
  uint32_t PassingBlocks(const BoundPoints* blocks, uint32_t n) const {
    const uint64_t bytes = LowBits(n * 8);
    const __m512i points = _mm512_maskz_loadu_epi8(bytes, blocks);
    const __m512i needed = LookUp(_mm512_srli_epi64(points, 32));
    const uint64_t passes = _mm512_cmpge_epu8_mask(points, needed) & bytes & 0x0f0f0f0f0f0f0f0f;
    return _mm512_test_epi64_mask(_mm512_movm_epi8(passes), _mm512_set1_epi64(-1));
  }

 private:
  __m512i LookUp(__m512i index) const {
    const __m512i low = _mm512_permutex2var_epi8(a_, index, b_);
    const __m512i high = _mm512_permutex2var_epi8(c_, index, d_);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high);
  }

  __m512i a_, b_, c_, d_;
};

class Floats {
 public:
  static constexpr size_t kLanes = 16;

  explicit Floats(float bound) : bound_(_mm512_set1_ps(bound)) {}
  // Requires values aligned to a vector.
  uint32_t IsReachedBy(const float* values) const {
    return _mm512_cmp_ps_mask(_mm512_load_ps(values), bound_, _CMP_GE_OQ);
  }

 private:
  __m512 bound_;
};

class Doubles {
 public:
  static constexpr size_t kLanes = 8;

  explicit Doubles(double bound) : bound_(_mm512_set1_pd(bound)) {}
  // Requires values aligned to a vector.
  uint32_t IsReachedBy(const double* values) const {
    return _mm512_cmp_pd_mask(_mm512_load_pd(values), bound_, _CMP_GE_OQ);
  }

 private:
  __m512d bound_;
};

void GreatestFreqsOf(const BoundPoints* blocks, uint32_t n, uint8_t* most) {
  __m512i greatest[4] = {};
  for (uint32_t i = 0; i < n * 4; ++i) {
    const __m512i tf = _mm512_set1_epi8(static_cast<char>(blocks[i / 4].tf[i % 4]));
    const __m512i from = _mm512_set1_epi8(static_cast<char>(blocks[i / 4].length_code[i % 4]));
    for (size_t j = 0; j < 4; ++j) {
      const __m512i codes = _mm512_loadu_si512(kAllCodes.data() + j * 64);
      const __mmask64 here = _mm512_cmpge_epu8_mask(codes, from);
      greatest[j] = _mm512_mask_max_epu8(greatest[j], here, greatest[j], tf);
    }
  }
  for (size_t j = 0; j < 4; ++j) _mm512_store_si512(most + j * 64, greatest[j]);
}

__m512 Score(SimilarityKind kind, __m512 weight, __m512 freq, __m512 length) {
  if (kind == SimilarityKind::kTfidf) {
    return _mm512_mul_ps(_mm512_mul_ps(_mm512_sqrt_ps(freq), weight), length);
  }
  const __m512 denominator = _mm512_add_ps(_mm512_set1_ps(1.0f), _mm512_mul_ps(freq, length));
  return _mm512_sub_ps(weight, _mm512_div_ps(weight, denominator));
}

// Handles sixteen blocks per step; each vector holds one point of every block.
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

void AddToTotals(const uint64_t* documents, const float* scores, WindowTotals& totals) {
  for (size_t i = 0; i < kWindowWords; ++i) {
    const uint64_t word = documents[i];
    if (word == 0) continue;
    for (size_t bit = 0; bit < 64; bit += 8) {
      const auto here = static_cast<__mmask8>(word >> bit);
      double* total = totals.of.data() + i * 64 + bit;
      const __m256 added = _mm256_maskz_expand_ps(here, _mm256_loadu_ps(scores));
      _mm512_store_pd(total, _mm512_add_pd(_mm512_load_pd(total), _mm512_cvtps_pd(added)));
      scores += _mm_popcnt_u32(here);
    }
  }
}

// The sums of the numbers before each of sixteen.
__m256i SumsBefore(__m256i numbers) {
  __m256i sums = _mm256_add_epi16(numbers, _mm256_slli_si256(numbers, 2));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 4));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 8));
  // The shifts do not cross the halves: the last sum of the low half is added to all of the high
  // one.
  const __m256i low = _mm256_permute2x128_si256(sums, sums, 0x08);
  sums = _mm256_add_epi16(sums, _mm256_shuffle_epi8(low, _mm256_set1_epi16(0x0f0e)));
  return _mm256_sub_epi16(sums, numbers);
}

// Handles one group of postings at a time. The start of the group is stored, and its frequencies
// give the starts of the single postings.
uint32_t SelectRuns(const PostingListView& list, uint32_t first, const uint64_t* mask, uint32_t n,
                    const RunArrays& out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i += kPositionGroup) {
    const uint64_t word = mask[i / 64] >> (i % 64);
    const auto here = static_cast<__mmask16>(_bzhi_u64(word, std::min(n - i, kPositionGroup)));
    if (here == 0) continue;
    const uint32_t posting = first + i;
    const uint64_t start = posting == 0 ? 0 : list.groups[posting / kPositionGroup - 1];
    const auto* lane = reinterpret_cast<const __m128i*>(list.freqs + posting);
    const __m128i freqs = _mm_loadu_si128(lane);
    const __m256i counts = _mm256_cvtepu8_epi16(freqs);
    const __m256i sums = SumsBefore(counts);
    const auto entries = static_cast<uint32_t>(_mm256_extract_epi16(sums, 15)) +
                         static_cast<uint32_t>(_mm256_extract_epi16(counts, 15));
    if (_mm_cmpeq_epi8_mask(freqs, _mm_set1_epi8(-1)) != 0 ||
        start + entries > list.positions.size()) [[unlikely]] {
      count = SelectRunsOneByOne(list, posting, here, count, out);
      continue;
    }
    const __m512i begins = _mm512_add_epi32(_mm512_cvtepu16_epi32(sums),
                                            _mm512_set1_epi32(static_cast<int32_t>(start)));
    _mm512_storeu_si512(out.begins + count, _mm512_maskz_compress_epi32(here, begins));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.counts + count),
                        _mm256_maskz_compress_epi16(here, counts));
    if (out.codes != nullptr) {
      const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(list.codes + posting));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out.codes + count),
                       _mm_maskz_compress_epi8(here, codes));
    }
    count += static_cast<uint32_t>(_mm_popcnt_u32(here));
  }
  return count;
}

// Loads up to eight positions and shifts them; the other lanes hold change.none.
__m128i LoadFew(PositionRun few, const Change& change) {
  const auto here = static_cast<__mmask8>(LowBits(static_cast<uint32_t>(few.size())));
  const __m128i none = _mm_set1_epi16(static_cast<int16_t>(change.none));
  const __m128i some = _mm_mask_loadu_epi16(none, here, few.data());
  return _mm_adds_epu16(some, _mm_set1_epi16(static_cast<int16_t>(change.shift)));
}

// Repeats lane kLane of each eight 16-bit lanes in all eight.
template <int kLane>
__m256i Repeat(__m256i lanes) {
  return _mm256_shuffle_epi8(lanes, _mm256_set1_epi16((2 * kLane + 1) << 8 | 2 * kLane));
}
template <int kLane>
__m512i Repeat(__m512i lanes) {
  return _mm512_shuffle_epi8(lanes, _mm512_set1_epi16((2 * kLane + 1) << 8 | 2 * kLane));
}

struct SmallPositionBlock {
  static constexpr size_t kFew = 8;
  static constexpr size_t kMany = 16;

  template <bool kWrites>
  static uint32_t Match(PositionRun few, PositionRun many, const FewAndMany& sides, uint16_t* out) {
    const auto lanes = static_cast<__mmask16>(LowBits(static_cast<uint32_t>(many.size())));
    const __m256i others =
        _mm256_adds_epu16(_mm256_maskz_loadu_epi16(lanes, many.data()), Set(sides.many_shift));
    const __m256i some = _mm256_broadcastsi128_si256(LoadFew(few, sides.few));
    const __m256i a = Either(Is<0>(others, some), Is<1>(others, some), Is<2>(others, some));
    const __m256i b = Either(Is<3>(others, some), Is<4>(others, some), Is<5>(others, some));
    const __m256i c = _mm256_or_si256(Is<6>(others, some), Is<7>(others, some));
    const __mmask16 found = _mm256_movepi16_mask(Either(a, b, c)) & lanes;
    if constexpr (kWrites) {
      const __m256i positions = _mm256_sub_epi16(others, Set(sides.back));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                          _mm256_maskz_compress_epi16(found, positions));
    }
    return static_cast<uint32_t>(_mm_popcnt_u32(found));
  }

 private:
  static __m256i Set(uint16_t value) { return _mm256_set1_epi16(static_cast<int16_t>(value)); }
  template <int kLane>
  static __m256i Is(__m256i others, __m256i some) {
    return _mm256_cmpeq_epi16(others, Repeat<kLane>(some));
  }
  static __m256i Either(__m256i a, __m256i b, __m256i c) {
    return _mm256_ternarylogic_epi32(a, b, c, 0xfe);
  }
};

struct PositionBlock {
  static constexpr size_t kFew = 8;
  static constexpr size_t kMany = 32;

  template <bool kWrites>
  static uint32_t Match(PositionRun few, PositionRun many, const FewAndMany& sides, uint16_t* out) {
    const auto lanes = static_cast<__mmask32>(LowBits(static_cast<uint32_t>(many.size())));
    const __m512i others =
        _mm512_adds_epu16(_mm512_maskz_loadu_epi16(lanes, many.data()), Set(sides.many_shift));
    const __m512i some = _mm512_broadcast_i32x4(LoadFew(few, sides.few));
    // If any of the differences is zero, the least of them is zero.
    const __m512i a = _mm512_min_epu16(Differ<0>(others, some), Differ<1>(others, some));
    const __m512i b = _mm512_min_epu16(Differ<2>(others, some), Differ<3>(others, some));
    const __m512i c = _mm512_min_epu16(Differ<4>(others, some), Differ<5>(others, some));
    const __m512i d = _mm512_min_epu16(Differ<6>(others, some), Differ<7>(others, some));
    const __m512i least = _mm512_min_epu16(_mm512_min_epu16(a, b), _mm512_min_epu16(c, d));
    const __mmask32 found = _mm512_mask_testn_epi16_mask(lanes, least, least);
    if constexpr (kWrites) {
      const __m512i positions = _mm512_sub_epi16(others, Set(sides.back));
      _mm512_storeu_si512(out, _mm512_maskz_compress_epi16(found, positions));
    }
    return static_cast<uint32_t>(_mm_popcnt_u32(found));
  }

 private:
  static __m512i Set(uint16_t value) { return _mm512_set1_epi16(static_cast<int16_t>(value)); }
  template <int kLane>
  static __m512i Differ(__m512i others, __m512i some) {
    return _mm512_xor_si512(others, Repeat<kLane>(some));
  }
};

}  // namespace

const QueryKernels& Avx512QueryKernels() {
  static const QueryKernels kKernels = {
      SimdLevel::kAvx512, FillLeastFreqs, FillLeastFreqsBeside, FillLengthBounds<GreatestFreqsOf>,
      FilterPostings<ByteTable>, FilterBlocks<ByteTable>, BlockBounds, ScorePostings, AddScores,
      KeepSums<Floats, float, WindowSums>, AddToTotals, KeepSums<Doubles, double, WindowTotals>,
      Avx2QueryKernels().find_runs, SelectRuns, MatchRunsIn<SmallPositionBlock, PositionBlock>,
      Avx2QueryKernels().near_runs,
      // BMI2 is all that these use.
      Avx2QueryKernels().deposit, Avx2QueryKernels().extract, ScanRangeAvx512, ScanSignaturesAvx512,
      FindClassesAvx512};
  return kKernels;
}

}  // namespace pmdex
