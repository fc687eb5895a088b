// The loops that run over lanes, once for each instruction set: what algorithms spend their time
// in. All of a level compute the same to the last bit; the scalar ones are the reference.
//
// The idea that most of them serve: a score grows with the frequency, so that for a term, a length
// code and a score there is a least frequency that reaches the score. A table of these, one byte a
// length code, turns "may this posting still enter the result?" into one look-up and one comparison
// of bytes, exact and for any similarity that grows so; scores themselves are computed for what
// passes.
//
// No state, thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/cpu_features.h"
#include "query/kernel/window_bits.h"
#include "query/similarity.h"

namespace pmdex {

// least[code]: a posting with this length code and a frequency below it does not reach the score.
// 255 lets escapes pass (kFreqEscape), whatever their frequency.
struct alignas(64) LeastFreqs {
  std::array<uint8_t, 256> least{};
};

// of[code]: no document of this length code scores higher.
struct alignas(64) LengthBounds {
  std::array<float, 256> of;
};

// The positions of one posting where they lie, ascending, at most 65534.
using PositionRun = std::span<const uint16_t>;
// Many runs: run i is counts[i] positions from base[begins[i]] on; none means that it is not known.
// Functions that write runs may write 32 elements more of each lane.
struct RunLanes {
  const uint16_t* base = nullptr;
  uint32_t* begins = nullptr;
  uint16_t* counts = nullptr;
  uint8_t* codes = nullptr;  // length codes of the documents; nullptr: nobody asks for them

  PositionRun operator[](uint32_t i) const { return {base + begins[i], counts[i]}; }
  void Set(uint32_t i, PositionRun run) const {
    begins[i] = run.empty() ? 0 : static_cast<uint32_t>(run.data() - base);
    counts[i] = static_cast<uint16_t>(run.size());
  }
};

struct QueryKernels {
  SimdLevel level;
  // The table of `scorer` for `needed`. Lets a posting pass that scores below it at most where
  // rounding leaves it open or the frequency is beyond 254.
  void (*least_freqs)(const TermScorer& scorer, float needed, LeastFreqs& table);
  // The same where others give a document of length code c up to others.of[c], so that so much less
  // is needed of it. Lets a few more pass. The table need not ascend, as those of least_freqs do.
  void (*least_freqs_beside)(const TermScorer& scorer, float needed, const LengthBounds& others,
                             LeastFreqs& table);
  // What no posting that the points of the blocks cover exceeds, by length code. escape_freq: what
  // a tf of 255 stands for.
  void (*length_bounds)(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                        float escape_freq, LengthBounds& bounds);
  // mask: bit i says freqs[i] >= least[codes[i]]; ceil(n / 64) words, zeros behind n. Reads whole
  // vectors of 64 bytes of both lanes.
  void (*filter_postings)(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                          const LeastFreqs& table, uint64_t* mask);
  // mask: bit i says whether any point of block i passes, and with it any posting if the table
  // ascends; ceil(n / 64) words, zeros behind n.
  void (*filter_blocks)(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table,
                        uint64_t* mask);
  // out[i]: the greatest score of the points of block i. escape_freq: what a tf of 255 stands for.
  void (*block_bounds)(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                       float escape_freq, float* out);
  // out[i]: the score of posting i, n of them; an escape scores as escape_freq. Reads whole vectors
  // of 64 bytes of both lanes and writes whole vectors of 64 bytes.
  void (*score_postings)(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                         const TermScorer& scorer, float escape_freq, float* out);
  // The set bits of `documents` are numbered from 0: adds scores[i] to the sum of number i. Reads
  // whole vectors of 64 bytes of the scores.
  void (*add_scores)(const uint64_t* documents, const float* scores, WindowSums& sums);
  // Takes documents out of `bits` whose sum is below `least`.
  void (*keep_sums)(const WindowSums& sums, float least, WindowBits& bits);
  // Where the positions of postings[i] lie, in a list that is not inline. No positions where it
  // takes more to know them (PostingListView::EntriesInPlace) and where there is no such posting.
  void (*find_runs)(const PostingListView& list, const uint32_t* postings, uint32_t n,
                    const RunLanes& out);
  // The same for every posting first + i whose bit i is set in `mask`, i < n, in their order; how
  // many. Requires that `first` begins a group and that the mask has whole words.
  uint32_t (*select_runs)(const PostingListView& list, uint32_t first, const uint64_t* mask,
                          uint32_t n, const RunLanes& out);
  // out: of each of n runs in a, those of its positions that have one in b that is `distance`
  // greater; written one after the other to `matches`, which has room for 64 more; or only counted,
  // when that is nullptr. Runs ascend, with less than 2^16 positions. out may be a.
  void (*match_runs)(const RunLanes& a, const RunLanes& b, uint32_t n, int32_t distance,
                     uint16_t* matches, const RunLanes& out);
  // The set bits of `documents` are numbered from 0; those whose number is set in `mask` are added
  // to `out`. mask: kWindowWords + 1 words.
  void (*deposit)(const uint64_t* documents, const uint64_t* mask, WindowBits& out);
  // The other way: mask gets a bit for each of the set bits of `documents`, from bit `first` on:
  // whether it is set in `chosen` too. How many. mask: kWindowWords + 1 words; first: below 64.
  uint32_t (*extract)(const uint64_t* documents, const WindowBits& chosen, uint32_t first,
                      uint64_t* mask);
};

const QueryKernels& ScalarQueryKernels();
const QueryKernels& Avx2QueryKernels();    // requires CpuFeatures::avx2
const QueryKernels& Avx512QueryKernels();  // requires CpuFeatures::avx512

// What this CPU runs fastest.
const QueryKernels& BestQueryKernels();
bool IsUsable(SimdLevel level);
// Requires IsUsable.
const QueryKernels& QueryKernelsOf(SimdLevel level);

}  // namespace pmdex
