// The loops over the arrays of a posting list (frequencies, length codes, positions) in which
// search algorithms spend their time, once for each instruction set. Every level computes the same
// results to the last bit; the scalar level is the reference.
//
// Most kernels use one idea. A score grows with the frequency, so for a term, a length code and a
// score there is a least frequency that reaches the score. A table holds it for each length code in
// one byte. Whether a posting may still enter the result is then decided by one look-up and one
// comparison of bytes. That is exact, and works for every similarity that grows with the frequency.
// Scores are computed only for the postings that pass.
//
// Stateless, thread-safe.
#pragma once

#include <cstdint>

#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/cpu_features.h"
#include "query/kernel/kernel_types.h"
#include "query/kernel/range_scan.h"
#include "query/kernel/signature_scan.h"
#include "query/kernel/window_bits.h"
#include "query/similarity.h"

namespace pmdex {

struct QueryKernels {
  SimdLevel level;
  // Fills the table for the score `needed`. Every posting that reaches `needed` passes. A posting
  // below it passes only if rounding leaves that open or its frequency is above 254.
  void (*least_freqs)(const TermScorer& scorer, float needed, LeastFreqs& table);
  // The same if other clauses add up to others.of[c] to a document with length code c, so that this
  // term has to add less. Lets a few more postings pass. Unlike the tables of least_freqs, this
  // table need not ascend.
  void (*least_freqs_beside)(const TermScorer& scorer, float needed, const LengthBounds& others,
                             LeastFreqs& table);
  // bounds: for each length code an upper bound of the scores of the blocks' postings. escape_freq:
  // the frequency for which a tf of 255 stands.
  void (*length_bounds)(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                        float escape_freq, LengthBounds& bounds);
  // mask: bit i is set if freqs[i] >= least[codes[i]]. ceil(n / 64) words; the bits from n on are
  // 0. Reads whole vectors of 64 bytes of both arrays.
  void (*filter_postings)(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                          const LeastFreqs& table, uint64_t* mask);
  // mask: bit i is set if any point of block i passes. If the table ascends and the bit is 0, no
  // posting of the block passes. ceil(n / 64) words; the bits from n on are 0.
  void (*filter_blocks)(const BoundPoints* blocks, uint32_t n, const LeastFreqs& table,
                        uint64_t* mask);
  // out[i]: the greatest score of the points of block i. escape_freq: as in length_bounds.
  void (*block_bounds)(const BoundPoints* blocks, uint32_t n, const TermScorer& scorer,
                       float escape_freq, float* out);
  // out[i]: the score of posting i, i < n. An escape is scored with escape_freq. Reads whole
  // vectors of 64 bytes of both arrays and writes whole vectors of 64 bytes.
  void (*score_postings)(const uint8_t* freqs, const uint8_t* codes, uint32_t n,
                         const TermScorer& scorer, float escape_freq, float* out);
  // Adds scores[i] to the sum of the document whose bit is the i-th set bit of `documents`, counted
  // from 0. documents: kWindowWords words. Reads whole vectors of 64 bytes of the scores.
  void (*add_scores)(const uint64_t* documents, const float* scores, WindowSums& sums);
  // Clears the bits of documents whose sum is below `least`.
  void (*keep_sums)(const WindowSums& sums, float least, WindowBits& bits);
  // The same for sums in double precision.
  void (*add_to_totals)(const uint64_t* documents, const float* scores, WindowTotals& totals);
  void (*keep_totals)(const WindowTotals& totals, double least, WindowBits& bits);
  // out: run i is the positions of postings[i], i < n. Requires a list that is not inline. The run
  // is empty if the list has no such posting, or if its positions cannot be viewed in place
  // (PostingListView::EntriesInPlace).
  void (*find_runs)(const PostingListView& list, const uint32_t* postings, uint32_t n,
                    const RunArrays& out);
  // The same for every posting first + i whose bit i is set in `mask`, i < n, in ascending order.
  // Returns how many there are. Requires that `first` begins a group of kPositionGroup postings.
  // mask: ceil(n / 64) words.
  uint32_t (*select_runs)(const PostingListView& list, uint32_t first, const uint64_t* mask,
                          uint32_t n, const RunArrays& out);
  // out: run i is the positions p of a[i] for which b[i] has the position p + distance, i < n. They
  // are written to `matches`, one run after the other; it needs room for 64 more elements. If
  // `matches` is nullptr, they are only counted. Runs have less than 2^16 positions. out may be a.
  void (*match_runs)(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
                     uint16_t* matches, const RunArrays& out);
  // The same for the positions p of a[i] for which b[i] has a position from p + distance - slack to
  // p + distance + slack. They are always written, and out.counts[i] is how many there are.
  void (*near_runs)(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
                    uint32_t slack, uint16_t* matches, const RunArrays& out);
  // Sets in `out` the i-th set bit of `documents` for every bit i that is set in `mask`. documents:
  // kWindowWords words; mask: kWindowWords + 1 words.
  void (*deposit)(const uint64_t* documents, const uint64_t* mask, WindowBits& out);
  // The reverse of deposit: bit first + i of `mask` is set if the i-th set bit of `documents` is
  // set in `chosen`, too. All other bits of `mask` become 0. Returns the number of set bits of
  // `documents`. documents: kWindowWords words; mask: kWindowWords + 1 words. Requires first < 64.
  uint32_t (*extract)(const uint64_t* documents, const WindowBits& chosen, uint32_t first,
                      uint64_t* mask);
  // Finds the values of a column that are in a range; see RangeScan.
  void (*scan_range)(const RangeScan& scan, uint64_t* mask);
  // Finds the terms whose signatures allow two edits; see SignatureScan.
  void (*scan_signatures)(const SignatureScan& scan, uint16_t* near, uint16_t* far);
  // Finds the terms whose signatures have some classes of characters; see ClassScan.
  void (*find_classes)(const ClassScan& scan, uint16_t* masks);
};

const QueryKernels& ScalarQueryKernels();
const QueryKernels& Avx2QueryKernels();    // requires CpuFeatures::avx2
const QueryKernels& Avx512QueryKernels();  // requires CpuFeatures::avx512

const QueryKernels& BestQueryKernels();  // of this CPU
// Requires IsUsable(level).
const QueryKernels& QueryKernelsOf(SimdLevel level);

}  // namespace pmdex
