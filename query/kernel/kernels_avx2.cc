// By AVX2 and BMI2. There is no permute of 256 bytes: a look-up goes through the sixteen rows of
// the table, each a shuffle for the codes whose high half names it.
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"

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

void FilterPostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const LeastFreqs& table,
                    uint64_t* mask) {
  for (uint32_t i = 0; i < n; i += 64) {
    const uint64_t low = AtLeast(Load(freqs + i), LookUp(table, Load(codes + i)));
    const uint64_t high = AtLeast(Load(freqs + i + 32), LookUp(table, Load(codes + i + 32)));
    mask[i / 64] = _bzhi_u64(low | high << 32, std::min(n - i, 64u));
  }
}

// Four blocks to a vector.
void FilterBlocks(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table, uint64_t* mask) {
  std::fill_n(mask, (n + 63) / 64, 0);
  for (uint32_t i = 0; i < n; i += 4) {
    alignas(32) BoundPoints here[4] = {};
    std::copy_n(blocks + i, std::min(n - i, 4u), here);
    const __m256i points = Load(here);
    const uint32_t bytes = AtLeast(points, LookUp(table, _mm256_srli_epi64(points, 32)));
    for (uint32_t block = 0; block < std::min(n - i, 4u); ++block) {
      const uint64_t passes = (bytes >> (block * 8) & 0x0f) != 0 ? 1 : 0;
      mask[i / 64] |= passes << ((i + block) % 64);
    }
  }
}

void KeepSums(const WindowSums& sums, float least, WindowBits& bits) {
  const __m256 bound = _mm256_set1_ps(least);
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (bits.words[word] == 0) continue;
    uint64_t reaches = 0;
    for (size_t bit = 0; bit < 64; bit += 8) {
      const __m256 here = _mm256_load_ps(sums.of.data() + word * 64 + bit);
      const int mask = _mm256_movemask_ps(_mm256_cmp_ps(here, bound, _CMP_GE_OQ));
      reaches |= static_cast<uint64_t>(static_cast<uint32_t>(mask)) << bit;
    }
    bits.words[word] &= reaches;
  }
}

// Ascending positions, sixteen at a time; asked for ascending ones.
class PositionBlocks {
 public:
  explicit PositionBlocks(PositionRun run) : next_(run.data()), end_(run.data() + run.size()) {
    Take();
  }

  bool Has(uint32_t position) {
    while (position > last_ && next_ != end_) Take();
    const __m256i one = _mm256_set1_epi16(static_cast<int16_t>(position));
    const __m256i found = _mm256_cmpeq_epi16(block_, one);
    return _mm256_testz_si256(found, found) == 0 && position < kPositionPage;
  }

 private:
  // There is no masked load of so small elements; what is no position fills the last block.
  void Take() {
    constexpr ptrdiff_t kLanes = 16;
    if (end_ - next_ >= kLanes) {
      block_ = Load(next_);
      next_ += kLanes;
      last_ = next_[-1];
      return;
    }
    alignas(32) std::array<uint16_t, kLanes> padded;
    padded.fill(kPositionPageMark);
    last_ = next_ != end_ ? end_[-1] : 0;
    std::copy(next_, end_, padded.begin());
    block_ = Load(padded.data());
    next_ = end_;
  }

  const uint16_t* next_;
  const uint16_t* end_;
  __m256i block_;
  uint32_t last_ = 0;  // of the block
};

void Deposit(const uint64_t* documents, const uint64_t* mask, WindowBits& out) {
  uint32_t number = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    uint64_t next = mask[number / 64] >> (number % 64);
    // The second shift in two steps: by 64 it would be undefined.
    next |= mask[number / 64 + 1] << 1 << (63 - number % 64);
    out.words[i] |= _pdep_u64(next, documents[i]);
    number += static_cast<uint32_t>(_mm_popcnt_u64(documents[i]));
  }
}

}  // namespace

const QueryKernels& Avx2QueryKernels() {
  static const QueryKernels kKernels = {SimdLevel::kAvx2,
                                        FillLeastFreqs,
                                        FilterPostings,
                                        FilterBlocks,
                                        ComputeBlockBounds,
                                        ComputeScores,
                                        ScalarQueryKernels().add_scores,  // has no expansion
                                        KeepSums,
                                        KeepStartsIn<PositionBlocks>,
                                        CountPairsIn<PositionBlocks>,
                                        Deposit};
  return kKernels;
}

}  // namespace pmdex
