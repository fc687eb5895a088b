// What runs once a value of a memtable's posting streams when they are read back at flush: one
// table of functions for each instruction set, all with the same results. AVX-512 takes sixteen
// values a step; the scalar functions are the oracle, and what other CPUs run.
//
// Values are variable-byte numbers of 32 bits: seven bits a byte, low bits first, the high bit set
// on all but the last byte. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/segment/format.h"

namespace pmdex {

struct VByteRun {
  size_t bytes = 0;
  size_t values = 0;
};

// Where a split stands: behind the last value taken. A posting after the other, positions in one
// run; both begin anew with a block.
struct PostingSplit {
  DocId doc = 0;          // of the last posting begun
  uint32_t position = 0;  // the last one in it
  uint32_t postings = 0;  // begun
  uint32_t positions = 0;
};
struct SplitPostings {
  DocId* docids;
  uint32_t* ends;       // of each posting: how many positions there are up to its last
  uint32_t* positions;  // kSplitSlack more than there are may be written
};
inline constexpr size_t kSplitSlack = 16;

struct PostingKernels {
  // Decodes values from the front: those that lie in `bytes` as a whole, at most values.size(), and
  // returns how many and of how many bytes. Reads nothing but `bytes`.
  VByteRun (*decode)(std::span<const uint8_t> bytes, std::span<uint32_t> values);
  // Takes values of a stream with positions (memtable_postings.h) apart; stops before posting
  // `count`. Returns how many it took. Requires docids and positions below 2^31.
  size_t (*split)(std::span<const uint32_t> values, uint32_t count, PostingSplit& at,
                  const SplitPostings& out);
};

const PostingKernels& ScalarPostingKernels();
const PostingKernels& Avx512PostingKernels();  // require AVX-512 with VBMI2
const PostingKernels& BestPostingKernels();    // of this CPU

}  // namespace pmdex
