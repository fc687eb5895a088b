// How a term's postings lie in its slices while a memtable grows, and how they are read at flush.
// One stream of VByte values a term, so that a token of a rare term touches one cache line. With
// positions, written as they come:
//
//   odd    a posting begins; the upper bits are its docid minus the one before (0 before the
//          first); the first position follows, its upper bits the position
//   even   one more occurrence, the upper bits its position minus the one before
//
// Without positions a posting is written when the next one begins, and the last one stands in the
// TermEntry: a term of one document has no stream. Its docid minus the one before, shifted left by
// one, odd when the frequency is not 1 and follows. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/memtable/posting_slices.h"
#include "engine/memtable/term_table.h"
#include "engine/segment/format.h"
#include "pmem/check.h"

namespace pmdex {

// Of a memtable without positions.
inline void AppendLastPosting(PostingSlices& slices, TermEntry& entry) {
  const uint64_t delta = uint64_t{entry.last_delta} << 1;
  if (entry.freq > 1) {
    slices.AppendPair(entry.postings, delta | 1, entry.freq);
  } else {
    slices.Append(entry.postings, delta);
  }
}

// Adds an occurrence; docs and positions in them ascend. Returns whether it began a posting.
template <bool kPositions>
inline bool AddOccurrence(PostingSlices& slices, TermEntry& entry, DocId doc, uint32_t position) {
  ++entry.cf;
  if (entry.df > 0 && entry.last_doc == doc) {
    ++entry.freq;
    if constexpr (kPositions) {
      slices.Append(entry.postings, uint64_t{position - entry.last_position} << 1);
      entry.last_position = position;
    }
    return false;
  }
  if constexpr (kPositions) {
    const uint64_t begin = uint64_t{doc - entry.last_doc} << 1 | 1;
    slices.AppendPair(entry.postings, begin, uint64_t{position} << 1);
    entry.last_position = position;
  } else {
    if (entry.df > 0) AppendLastPosting(slices, entry);
    entry.last_delta = doc - entry.last_doc;
  }
  entry.last_doc = doc;
  entry.freq = 1;
  ++entry.df;
  return true;
}

// Takes the last posting back: nothing may be added afterwards.
inline void RemoveLastPosting(TermEntry& entry) {
  --entry.df;
  entry.cf -= entry.freq;
  entry.freq = 0;  // the posting before is in the stream as a whole
}

// Reads the postings of an entry from the first on. The entry and the slices outlive the reader.
class PostingReader {
 public:
  PostingReader() = default;
  PostingReader(const PostingSlices& slices, const TermEntry& entry)
      : entry_(&entry), values_(slices, entry.postings, entry.first), postings_left_(entry.df) {}

  uint32_t postings_left() const { return postings_left_; }

  // The next min(count, postings_left()) of them, their positions put into `positions`; returns how
  // many.
  uint32_t ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                             std::vector<uint32_t>& positions);
  // The same of a memtable without positions.
  uint32_t Read(uint32_t count, DocId* docids, uint32_t* freqs);

 private:
  void ReadStream(uint32_t count, DocId* docids, uint32_t* freqs);

  const TermEntry* entry_ = nullptr;
  SliceReader values_;
  uint32_t postings_left_ = 0;
  DocId doc_ = 0;
  // With positions: begins the next posting, and how many values are behind it.
  uint64_t ahead_ = 0;
  uint64_t values_left_ = 0;
};

}  // namespace pmdex
