// Writes posting lists to kPostings and kPositions, one list after the other, and says in their
// DictionaryEntry where they are. It writes docids at once. The freqs and codes of the current list
// stay in DRAM until its docids are complete; so do the bits of a bitset. The block bounds, last
// docids and overflow entries of all lists stay in DRAM, because their sections follow later.
//
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/best_point_builder.h"
#include "engine/segment/postings/bitset_builder.h"
#include "engine/segment/postings/bound_builder.h"
#include "engine/segment/postings/checked_list.h"
#include "engine/segment/segment_input.h"
#include "engine/segment/writer_counts.h"
#include "pmem/status.h"

namespace pmdex {

class PostingWriter {
 public:
  // An upper bound of the memory of the writer of a segment, without its block of postings.
  static uint64_t EstimateMemory(const WriterCounts& counts);

  // positions: nullptr without positions. Reserves memory for block_count blocks of all lists, and
  // for one list of longest_list postings.
  PostingWriter(SectionStream& postings, SectionStream* positions, uint32_t doc_count,
                uint64_t block_count, uint32_t longest_list);

  // Reserves memory for so many overflow entries.
  void ReserveOverflow(uint64_t entries) { overflow_.reserve(entries); }

  // Starts the lists of a field. average_length: tokens a document that has the field.
  void StartField(double average_length) { best_points_.StartField(average_length); }
  // Reads and writes the postings of the stream's current term. Sets df, cf, representation and the
  // union of `entry`. norms: those of the term's field. Returns kInternal if the stream breaks its
  // contract, and kInvalidArgument if the list is more than the format can hold.
  absl::Status WriteList(TermStream& terms, std::span<const uint8_t> norms, DictionaryEntry& entry);

  std::span<const uint32_t> block_last_docs() const { return block_last_docs_; }
  std::span<const BoundPoints> block_bounds() const { return block_bounds_; }
  std::span<const OverflowEntry> overflow() const { return overflow_; }
  // The postings of the longest list whose freqs are in kUnitFreqs; 0 without such lists.
  uint32_t longest_unit_list() const { return longest_unit_list_; }

 private:
  bool FillInline(DictionaryEntry& entry, std::span<const uint8_t> norms);
  const PostingBlock& block() const { return list_.block(); }
  absl::Status WriteLanes(TermStream& terms, std::span<const uint8_t> norms,
                          DictionaryEntry& entry);
  void AppendLanes(const DictionaryEntry& entry);
  void AddBlock(std::span<const uint8_t> norms, bool has_blocks);
  void AddPositions();
  void AddOverflow(uint8_t* freqs);
  void EncodePositions();
  uint32_t EncodePosting(std::span<const uint32_t> positions);
  absl::Status FinishRun(DictionaryEntry& entry);

  SectionStream& postings_;
  SectionStream* positions_;
  const uint32_t doc_count_;

  // Of the current list.
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
  BestPointBuilder best_points_;

  // The position entries of the block, and the number of them for each posting: those of the block
  // itself, or if its positions are wide those that they were encoded to.
  std::span<const uint16_t> entries_;
  const uint32_t* entry_counts_ = nullptr;
  std::vector<uint16_t> encoded_;
  uint32_t encoded_counts_[kBlockPostings];

  std::vector<uint32_t> block_last_docs_;
  std::vector<BoundPoints> block_bounds_;
  std::vector<OverflowEntry> overflow_;
  uint32_t longest_unit_list_ = 0;
};

}  // namespace pmdex
