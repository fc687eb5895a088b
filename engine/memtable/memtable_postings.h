// How the postings of a term lie in its slices while a memtable grows, and how they are read at
// flush. Each term has one stream of VByte values, so a token of a rare term touches one cache
// line. With positions, values are written as they come:
//
//   odd    begins a posting; the upper bits are its docid minus the docid before (-1 before the
//          first); the first position follows, in the upper bits of the next value
//   even   one more occurrence; the upper bits are its position minus the position before
//
// Without positions:
//
//   above 0  begins a posting; the value is its docid minus the docid before (-1 before the first)
//   0        the frequency of the posting before follows; it is written when the next posting
//            begins, unless it is 1; the frequency of the last posting is in the TermEntry
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/memtable/posting_kernels.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/block_positions.h"
#include "pmem/check.h"

namespace pmdex {

// Docids plus one, and positions, are below this, because they are written with one more bit.
inline constexpr uint32_t kPositionLimit = uint32_t{1} << 31;

// Adds an occurrence. Returns true if it begins a posting. Requires ascending documents, ascending
// positions in each, and both below kPositionLimit.
template <bool kPositions>
inline bool AddOccurrence(PostingSlices& slices, TermEntry& entry, DocId doc, uint32_t position) {
  PMDEX_DCHECK(position < kPositionLimit);
  const uint32_t next_doc = doc + 1;
  ++entry.cf;
  if (entry.next_doc == next_doc) {
    ++entry.freq;
    if constexpr (kPositions) {
      slices.Append(entry.postings, (position - entry.last_position) << 1);
      entry.last_position = position;
    }
    return false;
  }
  const uint32_t delta = next_doc - entry.next_doc;
  if constexpr (kPositions) {
    slices.AppendPair(entry.postings, delta << 1 | 1, position << 1);
    entry.last_position = position;
    entry.freq = 1;
  } else {
    if (entry.freq != 1) [[unlikely]] {
      if (entry.freq > 1) slices.AppendPair(entry.postings, 0, entry.freq);
      entry.freq = 1;
    }
    slices.Append(entry.postings, delta);
  }
  entry.next_doc = next_doc;
  ++entry.df;
  return true;
}

// Removes the last posting. No occurrence may be added afterwards.
inline void RemoveLastPosting(TermEntry& entry) {
  --entry.df;
  entry.cf -= entry.freq;
  entry.freq = 0;  // that of the posting before is in the stream
}

// Reads the postings of entries, one entry after the other. The slices outlive the reader. An entry
// must stay until its postings are read, and neither may change meanwhile.
class PostingReader {
 public:
  explicit PostingReader(const PostingSlices& slices,
                         const PostingKernels& kernels = PostingKernelsOf(BestSimdLevel()))
      : slices_(slices), kernels_(kernels) {}

  // Goes to the first posting of this entry.
  void Open(const TermEntry& entry);

  uint32_t postings_left() const { return postings_left_; }

  // Reads the next min(count, postings_left()) postings, with their positions in `positions`, and
  // returns how many. For a memtable with positions.
  uint32_t ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                             BlockPositions& positions);
  // The same for a memtable without positions.
  uint32_t Read(uint32_t count, DocId* docids, uint32_t* freqs);

 private:
  // The most bytes, and the most values, of one call of the decoder.
  static constexpr size_t kDecoded = 512;

  // The values that are decoded and not yet taken; decodes more if there are none. Empty at the end
  // of the stream.
  std::span<const uint32_t> Values();
  void Take(size_t values) { next_value_ += values; }
  void Decode();
  size_t ReadMoreBytes();
  VByteRun Split(uint32_t count, PostingSplit& split, DocId* docids, uint32_t* ends,
                 BlockPositions& positions);
  void ReadStream(uint32_t count, DocId* docids, uint32_t* freqs);

  const PostingSlices& slices_;
  const PostingKernels& kernels_;
  const TermEntry* entry_ = nullptr;
  SliceReader stream_;
  uint32_t postings_left_ = 0;
  uint64_t values_left_ = 0;  // used with positions only
  DocId doc_ = 0;             // of the last posting read

  size_t next_value_ = 0;
  size_t value_count_ = 0;
  size_t next_byte_ = 0;  // the first byte that is not decoded yet
  size_t byte_count_ = 0;
  std::array<uint32_t, kDecoded> values_;
  std::array<uint8_t, kDecoded> bytes_;
};

}  // namespace pmdex
