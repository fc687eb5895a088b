// The postings of one term after the other, block by block, checked on the way for what a
// TermStream promises: counts, order, and docids below doc_count. Every writer of postings reads
// them through it. Belongs to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

class CheckedList {
 public:
  CheckedList(uint32_t doc_count, bool has_positions)
      : doc_count_(doc_count), has_positions_(has_positions) {}

  // Reads the first block of the stream's current term, then the ones that follow. kInternal when
  // the stream breaks its contract.
  absl::Status ReadFirst(TermStream& terms);
  absl::Status ReadNext(TermStream& terms);
  // Requires that all blocks were read; drops the last one.
  absl::Status Finish(TermStream& terms);

  const PostingBlock& block() const { return block_; }
  uint64_t postings_before() const { return postings_before_; }
  // Whether blocks follow this one.
  bool has_more(uint32_t df) const { return postings_before_ + block_.count < df; }
  // Of the block; the position only with positions.
  DocId last_doc() const { return last_doc_; }
  uint32_t greatest_freq() const { return greatest_freq_; }
  uint32_t greatest_position() const { return greatest_position_; }

  // Puts the block, which is the whole list, into an entry, without positions. False when a
  // frequency is too large for it or there are too many postings; the entry is as it was then.
  // norms: those of the term's field.
  bool FillInline(std::span<const uint8_t> norms, DictionaryEntry& entry) const;
  // The same with positions, if there are any and few: false also when these do not fit,
  // and the entry is as it was then.
  bool FillWholeInline(std::span<const uint8_t> norms, DictionaryEntry& entry) const;

 private:
  absl::Status Check(const TermStream& terms);
  absl::Status CheckPositions(const TermStream& terms, uint64_t block_freqs);

  const uint32_t doc_count_;
  const bool has_positions_;
  PostingBlock block_;
  uint64_t postings_before_ = 0;
  uint64_t freq_sum_ = 0;  // of all postings up to the end of block_
  DocId last_doc_ = 0;
  uint32_t greatest_freq_ = 0;
  uint32_t greatest_position_ = 0;
};

}  // namespace pmdex
