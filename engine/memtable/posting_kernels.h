// The loops that read a memtable's posting streams back at flush, as one table of functions for
// each instruction set. All tables give the same results. The AVX-512 functions take sixteen values
// a step; the scalar functions are the reference, and run on other CPUs.
//
// Values are variable-byte numbers of 32 bits: seven bits a byte, low bits first, the high bit set
// on all but the last byte. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/segment/format.h"
#include "pmem/cpu_features.h"

namespace pmdex {

struct VByteRun {
  size_t bytes = 0;
  size_t values = 0;
};

// How far a split has come: behind the last value that it took. The two counts begin at 0 with each
// block.
struct PostingSplit {
  DocId doc = 0;           // of the last posting begun
  uint32_t position = 0;   // the last position of that posting
  uint32_t postings = 0;   // how many postings were begun
  uint32_t positions = 0;  // how many positions were written
  // True if one of these is kPositionPage or more, so that what was written as uint16_t is wrong.
  bool has_wide = false;
  bool at_next = false;  // the next value begins posting number `count`
};
// Position: uint16_t, or uint32_t where positions of kPositionPage and more may be met.
template <typename Position>
struct SplitPostings {
  DocId* docids;        // of each posting
  uint32_t* ends;       // of each posting: the number of positions up to and including its last
  Position* positions;  // of all postings, one after the other; a split may write kSplitSlack
                        // elements beyond them
};
inline constexpr size_t kSplitSlack = 16;

struct PostingKernels {
  // Decodes from the front the values that lie completely in `bytes`, at most values.size() of
  // them. Returns how many values, and how many bytes they take. Reads nothing but `bytes`.
  VByteRun (*decode)(std::span<const uint8_t> bytes, std::span<uint32_t> values);
  // Splits the values that lie completely in `bytes` of a stream with positions
  // (memtable_postings.h) into docids and positions, at most `values` of them. Stops before posting
  // number `count` would begin. Returns what it took. Reads nothing but `bytes`. Requires docids
  // and positions below 2^31.
  VByteRun (*split)(std::span<const uint8_t> bytes, uint64_t values, uint32_t count,
                    PostingSplit& at, const SplitPostings<uint16_t>& out);
  VByteRun (*split_wide)(std::span<const uint8_t> bytes, uint64_t values, uint32_t count,
                         PostingSplit& at, const SplitPostings<uint32_t>& out);
};

const PostingKernels& ScalarPostingKernels();
const PostingKernels& Avx512PostingKernels();  // requires IsUsable(SimdLevel::kAvx512)
// The kernels of a level: kAvx2 has none of its own and takes the scalar ones. Requires
// IsUsable(level).
const PostingKernels& PostingKernelsOf(SimdLevel level);

}  // namespace pmdex
