// How a term's postings lie in its slices while a memtable grows, and how they are read at flush.
// One stream of VByte values a term, so that a token of a rare term touches one cache line. With
// positions, written as they come:
//
//   odd    a posting begins; the upper bits are its docid minus the one before (-1 before the
//          first); the first position follows, its upper bits the position
//   even   one more occurrence, the upper bits its position minus the one before
//
// Without positions:
//
//   above 0  a posting: its docid minus the one before (-1 before the first)
//   0        the frequency of the posting before follows: it is written when the next posting
//            begins, if it is not 1; that of the last one stands in the TermEntry
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/memtable/posting_kernels.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/format.h"
#include "pmem/check.h"

namespace pmdex {

// Of docids plus one and positions: they are written with one bit more.
inline constexpr uint32_t kPositionLimit = uint32_t{1} << 31;

// Adds an occurrence; docs and positions in them ascend, and stay below kPositionLimit. Returns
// whether it began a posting.
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

// Takes the last posting back: nothing may be added afterwards.
inline void RemoveLastPosting(TermEntry& entry) {
  --entry.df;
  entry.cf -= entry.freq;
  entry.freq = 0;  // that of the posting before is in the stream
}

// Reads the postings of one entry after the other, each from its first on. The slices outlive the
// reader, an entry what is read of it, and neither changes meanwhile.
class PostingReader {
 public:
  explicit PostingReader(const PostingSlices& slices,
                         const PostingKernels& kernels = BestPostingKernels())
      : slices_(slices), kernels_(kernels) {}

  // To the first posting of this entry.
  void Open(const TermEntry& entry);

  uint32_t postings_left() const { return postings_left_; }

  // The next min(count, postings_left()) of them, their positions put into `positions`; returns how
  // many.
  uint32_t ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                             std::vector<uint32_t>& positions);
  // The same of a memtable without positions.
  uint32_t Read(uint32_t count, DocId* docids, uint32_t* freqs);

 private:
  // Of each what one decoding takes: a byte is a value at least.
  static constexpr size_t kDecoded = 512;

  // The next values of the stream, none at its end; decodes some when there are none.
  std::span<const uint32_t> Values();
  void Take(size_t values) { next_value_ += values; }
  void Decode();
  void ReadStream(uint32_t count, DocId* docids, uint32_t* freqs);

  const PostingSlices& slices_;
  const PostingKernels& kernels_;
  const TermEntry* entry_ = nullptr;
  SliceReader stream_;
  uint32_t postings_left_ = 0;
  uint64_t values_left_ = 0;  // with positions
  DocId doc_ = 0;             // of the last posting read

  size_t next_value_ = 0;
  size_t value_count_ = 0;
  size_t next_byte_ = 0;  // that is not decoded: of a value that goes on
  size_t byte_count_ = 0;
  std::array<uint32_t, kDecoded> values_;
  std::array<uint8_t, kDecoded> bytes_;
};

}  // namespace pmdex
