// The scalar kernels. They are the reference: every other level must compute the same.
#include <algorithm>
#include <bit>

#include "query/kernel/kernels.h"
#include "query/kernel/position_loops.h"
#include "query/kernel/score_loops.h"

namespace pmdex {
namespace {

void FilterPostings(const uint8_t* freqs, const uint8_t* codes, uint32_t n, const LeastFreqs& table,
                    uint64_t* mask) {
  std::fill_n(mask, (n + 63) / 64, 0);
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t passes = freqs[i] >= table.least[codes[i]] ? 1 : 0;
    mask[i / 64] |= passes << (i % 64);
  }
}

void FilterBlocks(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table, uint64_t* mask) {
  std::fill_n(mask, (n + 63) / 64, 0);
  for (uint32_t i = 0; i < n; ++i) {
    bool passes = false;
    for (int p = 0; p < 4; ++p) {
      passes |= blocks[i].tf[p] >= table.least[blocks[i].length_code[p]];
    }
    mask[i / 64] |= uint64_t{passes} << (i % 64);
  }
}

template <typename Sums>
void AddScores(const uint64_t* documents, const float* scores, Sums& sums) {
  for (size_t i = 0; i < kWindowWords; ++i) {
    for (uint64_t word = documents[i]; word != 0; word &= word - 1) {
      sums.of[i * 64 + static_cast<size_t>(std::countr_zero(word))] += *scores++;
    }
  }
}

template <typename Sums, typename Number>
void KeepSums(const Sums& sums, Number least, WindowBits& bits) {
  for (size_t word = 0; word < kWindowWords; ++word) {
    for (size_t bit = 0; bit < 64; ++bit) {
      const uint64_t falls_short = sums.of[word * 64 + bit] < least ? 1 : 0;
      bits.words[word] &= ~(falls_short << bit);
    }
  }
}

void FindRuns(const PostingListView& list, const uint32_t* postings, uint32_t n,
              const RunArrays& out) {
  for (uint32_t i = 0; i < n; ++i) {
    if (postings[i] >= list.df) {
      out.Set(i, {});
    } else {
      SelectRunsOneByOne(list, postings[i], 1, i, out);
    }
  }
}

uint32_t SelectRuns(const PostingListView& list, uint32_t first, const uint64_t* mask, uint32_t n,
                    const RunArrays& out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i += 64) {
    const uint64_t here = n - i < 64 ? mask[i / 64] & ((uint64_t{1} << (n - i)) - 1) : mask[i / 64];
    count = SelectRunsOneByOne(list, first + i, here, count, out);
  }
  return count;
}

void MatchRuns(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
               uint16_t* matches, const RunArrays& out) {
  const Shifts shifts(distance);
  uint32_t begin = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t count = matches != nullptr ? MergeRuns<true>(a[i], b[i], shifts, matches + begin)
                                              : MergeRuns<false>(a[i], b[i], shifts, nullptr);
    out.begins[i] = begin;
    out.counts[i] = static_cast<uint16_t>(count);
    begin += count;
  }
}

class OnePosition {
 public:
  static constexpr size_t kPositions = 1;

  explicit OnePosition(PositionRun run) : position_(run[0]) {}
  int32_t last() const { return position_; }
  bool HasAny(uint16_t least, uint16_t width) const {
    return position_ >= least && position_ - least <= width;
  }

 private:
  uint16_t position_;
};

void Deposit(const uint64_t* documents, const uint64_t* mask, WindowBits& out) {
  uint32_t number = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    for (uint64_t word = documents[i]; word != 0; word &= word - 1, ++number) {
      const uint64_t kept = mask[number / 64] >> (number % 64) & 1;
      out.words[i] |= kept << std::countr_zero(word);
    }
  }
}

uint32_t Extract(const uint64_t* documents, const WindowBits& chosen, uint32_t first,
                 uint64_t* mask) {
  std::fill_n(mask, kWindowWords + 1, 0);
  uint32_t number = first;
  for (size_t i = 0; i < kWindowWords; ++i) {
    for (uint64_t word = documents[i]; word != 0; word &= word - 1, ++number) {
      const uint64_t is_chosen = chosen.words[i] >> std::countr_zero(word) & 1;
      mask[number / 64] |= is_chosen << (number % 64);
    }
  }
  return number - first;
}

}  // namespace

const QueryKernels& ScalarQueryKernels() {
  static constexpr QueryKernels kKernels = {SimdLevel::kScalar,
                                            FillLeastFreqs,
                                            FillLeastFreqsBeside,
                                            FillLengthBounds<GreatestFreqs>,
                                            FilterPostings,
                                            FilterBlocks,
                                            ComputeBlockBounds,
                                            ComputeScores,
                                            AddScores<WindowSums>,
                                            KeepSums<WindowSums, float>,
                                            AddScores<WindowTotals>,
                                            KeepSums<WindowTotals, double>,
                                            FindRuns,
                                            SelectRuns,
                                            MatchRuns,
                                            FindNearRuns<OnePosition>,
                                            Deposit,
                                            Extract,
                                            ScanRangeScalar,
                                            ScanSignaturesScalar,
                                            FindClassesScalar};
  return kKernels;
}

}  // namespace pmdex
