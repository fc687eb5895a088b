// Builds the term dictionary of a segment and writes its sections. The segment writer makes two
// passes over the terms and calls in this order:
//
//   AddTerm        for each term in the first pass; inline lists come with their postings
//   AssignBuckets  once; gives each frequent term its bucket, and all sections have their sizes
//   SetEntry       for each of open_terms() in the second pass
//   Write...       once each
//
// It holds the lines of all terms, a slot of each rare term, the entry of each frequent term, and
// long frequent terms once more. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/byte_chunks.h"
#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/dictionary/term_signature.h"
#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"
#include "engine/segment/segment_input.h"
#include "engine/segment/writer_counts.h"
#include "pmem/status.h"

namespace pmdex {

class TermDictionaryWriter {
 public:
  struct FieldTerms {
    uint64_t term_count = 0;
    uint64_t posting_count = 0;
    uint32_t first_block = 0;
    uint32_t block_count = 0;
    uint64_t blocks_begin = 0;  // in kTermBlocks
    uint64_t blocks_bytes = 0;
  };

  // An upper bound of the memory of the writer of a segment, without the last chunks of two
  // ByteChunks.
  struct MemoryBytes {
    uint64_t laying_out = 0;  // until AssignBuckets returns
    uint64_t writing = 0;     // after that
  };
  static MemoryBytes EstimateMemory(const WriterCounts& counts);

  // doc_count, has_positions: of the segment.
  TermDictionaryWriter(uint64_t hash_seed, size_t field_count, uint32_t doc_count,
                       bool has_positions)
      : hash_seed_(hash_seed),
        line_format_{DocIdBytes(doc_count)},
        has_positions_(has_positions),
        fields_(field_count) {}

  // Reserves memory for an expected number of terms; 0 if it is unknown.
  void Reserve(uint64_t terms);
  // Adds the current term of the stream. entry: an inline list, or kEmpty for a frequent term. It
  // is open, and SetEntry must complete it, if it is kEmpty or if its positions are in kPositions.
  // Sets its key, field and term_bytes. Returns kInternal if the term is out of order or cannot be
  // a term, and kInvalidArgument if there are too many terms.
  absl::Status AddTerm(const TermStream& terms, DictionaryEntry& entry);
  // Returns kInvalidArgument if there are more terms than bucket numbers.
  absl::Status AssignBuckets();
  // The open terms: their ascending indices in the order of AddTerm.
  std::span<const uint32_t> open_terms() const { return open_terms_; }
  // Completes the next open term, which must be the current term of the stream. Sets the key, field
  // and term_bytes of `entry`. Returns kInternal if the term differs from that of the first pass,
  // or is not as rare or frequent as it was there.
  absl::Status SetEntry(const TermStream& terms, DictionaryEntry& entry);

  uint64_t term_count() const { return entries_.size() + rare_.size(); }
  uint32_t home_bucket_count() const { return home_bucket_count_; }
  uint32_t rare_bucket_count() const { return rare_bucket_count_; }
  std::span<const FieldTerms> fields() const { return fields_; }
  // The sizes of the sections. The first and the last require AssignBuckets.
  uint64_t entries_bytes() const { return bucket_count_ * sizeof(DictionaryEntry); }
  uint64_t term_bytes_size() const { return long_terms_.size_bytes(); }
  uint64_t term_blocks_bytes() const { return lines_.size_bytes(); }
  uint64_t block_starts_bytes() const { return (block_starts_.size() + 1) * sizeof(uint64_t); }
  uint64_t rare_slots_bytes() const { return rare_slot_count_ * sizeof(RareTermSlot); }
  uint64_t signatures_bytes() const { return signatures_.size() * sizeof(BlockSignatures); }

  // They require that all open terms are set. WriteEntries and WriteBlocks return kInternal
  // otherwise.
  absl::Status WriteEntries(SectionStream& entries) const;
  void WriteTermBytes(SectionStream& term_bytes);
  absl::Status WriteBlocks(SectionStream& blocks);
  void WriteBlockStarts(SectionStream& block_starts) const;
  void WriteRareSlots(SectionStream& rare_slots) const;
  void WriteSignatures(SectionStream& signatures) const;

 private:
  struct FrequentTerm {
    uint32_t hash;    // the upper half of the hash, which gives the home bucket
    uint32_t number;  // of its entry in entries_
  };
  struct RareTerm {
    RareTermSlot slot;
    uint32_t hash;  // as in FrequentTerm
  };
  struct OpenTerm {
    uint64_t term_hash;  // HashTermBytes
    uint64_t rest;       // where its line goes on behind the term, a place in lines_
  };

  // The bucket of the next term in the order of hashes. next_free: the first bucket behind those of
  // the terms before it.
  uint64_t BucketOf(const FrequentTerm& term, uint64_t next_free) const;
  // The same for slots.
  uint64_t SlotOf(const RareTerm& term, uint64_t next_free) const;
  // The hash of an entry in entries_.
  uint64_t HashOf(const DictionaryEntry& entry) const;
  void AssignRareSlots();
  // Completes the line of a rare term. rest: where it goes on behind the term.
  absl::Status SetRare(const TermStream& terms, const DictionaryEntry& entry,
                       std::byte* rest) const;
  absl::Status CheckAllEntriesSet() const;
  void StartBlock(FieldId field);
  // Appends the line of the term. Returns the place of what follows the term. shared: the bytes
  // that it shares with the term before it.
  uint64_t AddLine(std::string_view term, size_t shared, const DictionaryEntry& entry);
  void AddFrequent(std::string_view term, uint64_t term_hash, DictionaryEntry& entry);

  const uint64_t hash_seed_;
  const LineFormat line_format_;
  const bool has_positions_;
  std::vector<FieldTerms> fields_;

  std::vector<FrequentTerm> frequent_;    // in the order of hashes; empty before AssignBuckets
  std::deque<DictionaryEntry> entries_;   // of the frequent terms, in the order of AddTerm
  std::vector<uint32_t> bucket_numbers_;  // of the frequent terms, in the order of AddTerm
  std::vector<RareTerm> rare_;            // in the order of AddTerm, later in that of hashes
  uint32_t home_bucket_count_ = 1;
  uint64_t bucket_count_ = 0;
  uint32_t rare_bucket_count_ = 1;
  uint64_t rare_slot_count_ = 0;

  ByteChunks lines_;  // kTermBlocks
  std::vector<uint64_t> block_starts_;
  std::deque<BlockSignatures> signatures_;
  ByteChunks long_terms_;
  std::vector<uint32_t> open_terms_;
  std::deque<OpenTerm> open_places_;  // of open_terms_
  size_t set_terms_ = 0;              // calls of SetEntry
  size_t set_entries_ = 0;            // those of frequent terms

  // The term that was added last.
  FieldId last_field_ = 0;
  std::array<char, kMaxTokenBytes> last_term_;
  size_t last_term_bytes_ = 0;  // 0 before the first
  uint32_t terms_in_block_ = 0;
};

}  // namespace pmdex
