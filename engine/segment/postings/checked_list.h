// Reads the postings of a TermStream block by block, and checks that the stream keeps its contract:
// counts, order, and docids below doc_count. All writers of postings read them through this class.
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

class CheckedList {
 public:
  CheckedList(uint32_t doc_count, bool has_positions)
      : doc_count_(doc_count), has_positions_(has_positions) {}

  // Reads the first block of the stream's current term, or the next one. Returns kInternal if the
  // stream breaks its contract.
  absl::Status ReadFirst(TermStream& terms);
  absl::Status ReadNext(TermStream& terms);
  // Checks that the stream has no more blocks and that the frequencies add up to cf. Requires that
  // all blocks were read. The block is not valid any more.
  absl::Status Finish(TermStream& terms);

  const PostingBlock& block() const { return block_; }
  uint64_t postings_before() const { return postings_before_; }
  // True if there is a block after this one. df: that of the current term.
  bool has_more(uint32_t df) const { return postings_before_ + block_.count < df; }
  // Of the block. greatest_position requires positions.
  DocId last_doc() const { return last_doc_; }
  uint32_t greatest_freq() const { return greatest_freq_; }
  uint32_t greatest_position() const { return greatest_position_; }

  // Makes `entry` an inline list of the postings of the block, with their positions if these fit
  // into it. Otherwise the caller sets position_start. Returns false, and changes nothing, if there
  // are too many postings or if one escapes. Requires that the block is the whole list. norms:
  // those of the term's field.
  bool FillInline(std::span<const uint8_t> norms, DictionaryEntry& entry) const;

 private:
  absl::Status Check(const TermStream& terms);
  absl::Status CheckPositions(const TermStream& terms, uint64_t block_freqs);
  template <typename Position>
  bool PositionsAscend(std::span<const Position> positions);

  const uint32_t doc_count_;
  const bool has_positions_;
  PostingBlock block_;
  uint64_t postings_before_ = 0;
  uint64_t freq_sum_ = 0;  // of the postings up to the end of block_
  DocId last_doc_ = 0;
  uint32_t greatest_freq_ = 0;
  uint32_t greatest_position_ = 0;
};

}  // namespace pmdex
