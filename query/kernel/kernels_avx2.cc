// The kernels for AVX2 and BMI2. AVX2 has no permute of 256 bytes. A look-up therefore goes through
// the sixteen rows of the table, with one shuffle per row for the codes whose upper four bits are
// the number of the row.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"
#include "query/kernel/vector_loops.h"

namespace pmdex {
namespace {

__m256i LookUp(const LeastFreqs& table, __m256i index) {
  const __m256i low_half = _mm256_set1_epi8(0x0f);
  const __m256i row_of = _mm256_and_si256(_mm256_srli_epi16(index, 4), low_half);
  const __m256i column = _mm256_and_si256(index, low_half);
  __m256i found = _mm256_setzero_si256();
  for (int row = 0; row < 16; ++row) {
    const auto* bytes = reinterpret_cast<const __m128i*>(table.least.data() + row * 16);
    const __m256i entries = _mm256_broadcastsi128_si256(_mm_load_si128(bytes));
    const __m256i here = _mm256_cmpeq_epi8(row_of, _mm256_set1_epi8(static_cast<char>(row)));
    found = _mm256_or_si256(found, _mm256_and_si256(here, _mm256_shuffle_epi8(entries, column)));
  }
  return found;
}

uint32_t AtLeast(__m256i values, __m256i needed) {
  const __m256i passes = _mm256_cmpeq_epi8(_mm256_max_epu8(values, needed), values);
  return static_cast<uint32_t>(_mm256_movemask_epi8(passes));
}

__m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

class ByteTable {
 public:
  static constexpr uint32_t kBlocks = 4;

  explicit ByteTable(const LeastFreqs& least) : least_(least) {}

  uint64_t PassingPostings(const uint8_t* freqs, const uint8_t* codes) const {
    const uint64_t low = AtLeast(Load(freqs), LookUp(least_, Load(codes)));
    const uint64_t high = AtLeast(Load(freqs + 32), LookUp(least_, Load(codes + 32)));
    return low | high << 32;
  }

  uint32_t PassingBlocks(const BoundPoints* blocks, uint32_t n) const {
    alignas(32) BoundPoints here[kBlocks] = {};
    std::copy_n(blocks, n, here);
    const __m256i points = Load(here);
    const uint32_t bytes = AtLeast(points, LookUp(least_, _mm256_srli_epi64(points, 32)));
    uint32_t passing = 0;
    for (uint32_t block = 0; block < n; ++block) {
      passing |= ((bytes >> (block * 8) & 0x0f) != 0 ? 1u : 0u) << block;
    }
    return passing;
  }

 private:
  const LeastFreqs& least_;
};

class Floats {
 public:
  static constexpr size_t kLanes = 8;

  explicit Floats(float bound) : bound_(_mm256_set1_ps(bound)) {}
  // Requires values aligned to a vector.
  uint32_t IsReachedBy(const float* values) const {
    return static_cast<uint32_t>(
        _mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(values), bound_, _CMP_GE_OQ)));
  }

 private:
  __m256 bound_;
};

class Doubles {
 public:
  static constexpr size_t kLanes = 4;

  explicit Doubles(double bound) : bound_(_mm256_set1_pd(bound)) {}
  // Requires values aligned to a vector.
  uint32_t IsReachedBy(const double* values) const {
    return static_cast<uint32_t>(
        _mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(values), bound_, _CMP_GE_OQ)));
  }

 private:
  __m256d bound_;
};

// Finds the run of one posting: its start within the group is the sum of the frequencies before it.
// The frequencies are padded to whole groups of sixteen, so that one vector can read a group.
void FindRun(const PostingListView& list, uint32_t posting, uint32_t i, const RunArrays& out) {
  const uint32_t group = posting / kPositionGroup;
  const uint32_t before = posting % kPositionGroup;
  const auto* bytes = reinterpret_cast<const __m128i*>(list.freqs + posting - before);
  const __m128i freqs = _mm_loadu_si128(bytes);
  const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i is_before = _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(before)), places);
  const __m128i sums = _mm_sad_epu8(_mm_and_si128(freqs, is_before), _mm_setzero_si128());
  const int escapes = _mm_movemask_epi8(_mm_cmpeq_epi8(freqs, _mm_set1_epi8(-1)));
  if (out.codes != nullptr) out.codes[i] = list.codes[posting];
  const uint64_t begin = (group == 0 ? 0 : list.groups[group - 1]) +
                         static_cast<uint64_t>(_mm_cvtsi128_si64(sums)) +
                         static_cast<uint64_t>(_mm_extract_epi64(sums, 1));
  const uint16_t count = list.freqs[posting];
  const bool is_plain = (escapes & ((2 << before) - 1)) == 0;
  if (!is_plain || begin + count > list.positions.size()) [[unlikely]]
    return out.Set(i, list.EntriesInPlace(posting));
  out.begins[i] = static_cast<uint32_t>(begin);
  out.counts[i] = count;
}

void FindRuns(const PostingListView& list, const uint32_t* postings, uint32_t n,
              const RunArrays& out) {
  for (uint32_t i = 0; i < n; ++i) {
    if (postings[i] < list.df) {
      FindRun(list, postings[i], i, out);
    } else {
      out.Set(i, {});
    }
  }
}

uint32_t SelectRuns(const PostingListView& list, uint32_t first, const uint64_t* mask, uint32_t n,
                    const RunArrays& out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i += 64) {
    for (uint64_t here = _bzhi_u64(mask[i / 64], std::min(n - i, 64u)); here != 0;
         here &= here - 1, ++count) {
      const uint32_t posting = first + i + static_cast<uint32_t>(std::countr_zero(here));
      if (posting < list.df) {
        FindRun(list, posting, count, out);
      } else {
        out.Set(count, {});
      }
    }
  }
  return count;
}

// Reads a whole vector, which may go beyond the end of the run, but not beyond its page. Callers
// ignore the surplus.
#if defined(__GNUC__)
__attribute__((no_sanitize("address")))
#endif
__m256i
LoadBeyond(const uint16_t* p) {
  return *reinterpret_cast<const __m256i_u*>(p);
}

// Loads up to 16 positions. AVX2 has no masked load of 16-bit elements. A run is copied first if a
// whole vector would go beyond the end of the page.
__m256i LoadPositions(PositionRun run) {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t place = reinterpret_cast<uintptr_t>(run.data()) % kPage;
  if (place <= kPage - sizeof(__m256i) || run.size() >= 16) return LoadBeyond(run.data());
  alignas(32) std::array<uint16_t, 16> copy{};
  std::copy(run.begin(), run.end(), copy.begin());
  return Load(copy.data());
}

// Repeats lane kLane of each eight 16-bit lanes in all eight.
template <int kLane>
__m256i Repeat(__m256i lanes) {
  return _mm256_shuffle_epi8(lanes, _mm256_set1_epi16((2 * kLane + 1) << 8 | 2 * kLane));
}

struct PositionBlock {
  static constexpr size_t kFew = 8;
  static constexpr size_t kMany = 16;

  template <bool kWrites>
  static uint32_t Match(PositionRun few, PositionRun many, const FewAndMany& sides, uint16_t* out) {
    const __m256i others = _mm256_adds_epu16(LoadPositions(many), Set(sides.many_shift));
    const __m256i places = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8);
    const __m256i is_some = _mm256_cmpgt_epi16(Set(static_cast<uint16_t>(few.size())), places);
    __m256i some = _mm256_blendv_epi8(Set(sides.few.none), LoadPositions(few), is_some);
    some = _mm256_adds_epu16(_mm256_permute4x64_epi64(some, 0x44), Set(sides.few.shift));
    __m256i found = _mm256_cmpeq_epi16(others, Repeat<0>(some));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<1>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<2>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<3>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<4>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<5>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<6>(some)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(others, Repeat<7>(some)));
    // The mask has two bits per lane.
    uint32_t mask = static_cast<uint32_t>(_mm256_movemask_epi8(found));
    mask = _bzhi_u32(mask, static_cast<uint32_t>(2 * many.size()));
    const auto count = static_cast<uint32_t>(_mm_popcnt_u32(mask)) / 2;
    if constexpr (kWrites) {
      for (; mask != 0; mask &= mask - 1, mask &= mask - 1) {
        const uint16_t position = many[static_cast<uint32_t>(std::countr_zero(mask)) / 2];
        *out++ = static_cast<uint16_t>(position + sides.many_shift - sides.back);
      }
    }
    return count;
  }

 private:
  static __m256i Set(uint16_t value) { return _mm256_set1_epi16(static_cast<int16_t>(value)); }
};

class SixteenPositions {
 public:
  static constexpr size_t kPositions = 16;

  explicit SixteenPositions(PositionRun run)
      : positions_(LoadPositions(run)),
        lane_bits_(static_cast<uint32_t>((uint64_t{1} << (2 * run.size())) - 1)),
        last_(run.back()) {}
  int32_t last() const { return last_; }
  // Whether a position is in [least, least + width]. Requires that the sum has 16 bits.
  bool HasAny(uint16_t least, uint16_t width) const {
    const __m256i most = _mm256_set1_epi16(static_cast<int16_t>(width));
    // Wraps around to more than the width for positions below the least.
    const __m256i behind =
        _mm256_sub_epi16(positions_, _mm256_set1_epi16(static_cast<int16_t>(least)));
    const __m256i is_near = _mm256_cmpeq_epi16(_mm256_min_epu16(behind, most), behind);
    return (static_cast<uint32_t>(_mm256_movemask_epi8(is_near)) & lane_bits_) != 0;
  }

 private:
  __m256i positions_;
  uint32_t lane_bits_;  // two bits for each lane with a position
  int32_t last_;
};

void Deposit(const uint64_t* documents, const uint64_t* mask, WindowBits& out) {
  uint32_t number = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    uint64_t next = mask[number / 64] >> (number % 64);
    // Shifts in two steps, because a shift by 64 is undefined.
    next |= mask[number / 64 + 1] << 1 << (63 - number % 64);
    out.words[i] |= _pdep_u64(next, documents[i]);
    number += static_cast<uint32_t>(_mm_popcnt_u64(documents[i]));
  }
}

uint32_t Extract(const uint64_t* documents, const WindowBits& chosen, uint32_t first,
                 uint64_t* mask) {
  std::fill_n(mask, kWindowWords + 1, 0);
  uint32_t number = first;
  for (size_t i = 0; i < kWindowWords; ++i) {
    const uint64_t next = _pext_u64(chosen.words[i], documents[i]);
    mask[number / 64] |= next << (number % 64);
    mask[number / 64 + 1] |= next >> 1 >> (63 - number % 64);  // in two steps, as in Deposit
    number += static_cast<uint32_t>(_mm_popcnt_u64(documents[i]));
  }
  return number - first;
}

}  // namespace

const QueryKernels& Avx2QueryKernels() {
  static const QueryKernels kKernels = {SimdLevel::kAvx2,
                                        FillLeastFreqs,
                                        FillLeastFreqsBeside,
                                        FillLengthBounds<GreatestFreqs>,
                                        FilterPostings<ByteTable>,
                                        FilterBlocks<ByteTable>,
                                        ComputeBlockBounds,
                                        ComputeScores,
                                        ScalarQueryKernels().add_scores,  // has no expansion
                                        KeepSums<Floats, float, WindowSums>,
                                        ScalarQueryKernels().add_to_totals,
                                        KeepSums<Doubles, double, WindowTotals>,
                                        FindRuns,
                                        SelectRuns,
                                        MatchRunsIn<PositionBlock, PositionBlock>,
                                        FindNearRuns<SixteenPositions>,
                                        Deposit,
                                        Extract,
                                        ScanRangeAvx2,
                                        ScanSignaturesAvx2,
                                        FindClassesAvx2};
  return kKernels;
}

}  // namespace pmdex
