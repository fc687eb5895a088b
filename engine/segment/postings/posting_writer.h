// Writes posting lists to the postings and positions sections of a segment, one list after the
// other, and fills the part of a DictionaryEntry that says where a list is. The docid lane goes out
// as it arrives; the narrower lanes of the one list being written wait in DRAM (two bytes a
// posting), and so do the bits of a dense one (a bit a document). Block metadata and overflow
// entries of all lists are kept for the sections that follow.
//
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/bitset_builder.h"
#include "engine/segment/postings/bound_builder.h"
#include "engine/segment/postings/checked_list.h"
#include "engine/segment/segment_input.h"
#include "engine/segment/writer_counts.h"
#include "pmem/status.h"

namespace pmdex {

class PostingWriter {
 public:
  // The most bytes that the writer of such a segment holds, without its block of postings.
  static uint64_t EstimateMemory(const WriterCounts& counts);

  // positions: nullptr without positions. Room is made for so many blocks of all lists and postings
  // of one.
  PostingWriter(SectionStream& postings, SectionStream* positions, uint32_t doc_count,
                uint64_t block_count, uint32_t longest_list);

  // The same for entries of overflow().
  void ReserveOverflow(uint64_t entries) { overflow_.reserve(entries); }

  // Consumes the current term's postings; sets df, cf, representation and the union of `entry`.
  // kInternal when the stream breaks its contract (counts, order, docids), kInvalidArgument when
  // the list is more than the format holds. norms: those of the term's field.
  absl::Status WriteList(TermStream& terms, std::span<const uint8_t> norms, DictionaryEntry& entry);

  std::span<const uint32_t> block_last_docs() const { return block_last_docs_; }
  std::span<const BoundPoints> block_bounds() const { return block_bounds_; }
  std::span<const OverflowEntry> overflow() const { return overflow_; }

 private:
  bool FillInline(DictionaryEntry& entry, std::span<const uint8_t> norms);
  const PostingBlock& block() const { return list_.block(); }
  absl::Status WriteLanes(TermStream& terms, std::span<const uint8_t> norms,
                          DictionaryEntry& entry);
  void AppendLanes(uint64_t start, const PostingExtent& extent);
  void AddBlock(std::span<const uint8_t> norms, bool has_blocks);
  void AddPositions();
  void AddOverflow(uint8_t* freqs);
  void EncodePositions();
  uint32_t EncodePosting(std::span<const uint32_t> positions);
  absl::Status FinishRun(DictionaryEntry& entry);

  SectionStream& postings_;
  SectionStream* positions_;
  const uint32_t doc_count_;

  // Of the list being written.
  CheckedList list_;
  uint64_t position_entries_ = 0;
  bool is_bitset_ = false;
  BitsetBuilder bitset_;
  std::vector<uint8_t> freqs_;
  std::vector<uint8_t> codes_;
  std::vector<uint32_t> groups_;
  std::vector<OverflowEntry> run_;
  BoundBuilder block_bound_;
  BoundBuilder list_bound_;

  // Of the block: entries of the positions section, and how many of them each posting has.
  std::vector<uint16_t> entries_;
  uint32_t entry_counts_[kBlockPostings];

  std::vector<uint32_t> block_last_docs_;
  std::vector<BoundPoints> block_bounds_;
  std::vector<OverflowEntry> overflow_;
};

}  // namespace pmdex
