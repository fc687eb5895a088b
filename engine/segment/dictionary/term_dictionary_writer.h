// Writes the dictionary of a segment in step with the writer's two passes over the terms:
//
//   AddTerm for each term      sizes of all sections, hashes, keys, the ordered terms, front-coded,
//                              and the entries of lists that fit into them
//   AssignBuckets                every term gets its entry, in order of hash (no probing)
//   SetEntry for the others     where the postings are
//   Write...                   sections, in any order, but starts of blocks after blocks
//
// Of a term it holds its bytes in a block, where they are, and a packed entry (at most 64 bytes);
// long terms twice. How much that is: writer_memory.h. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/byte_chunks.h"
#include "engine/segment/dictionary/packed_entries.h"
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
  };

  // The most bytes that the writer of such a segment holds: while terms are added and buckets are
  // assigned, and later.
  struct MemoryBytes {
    uint64_t laying_out = 0;
    uint64_t writing = 0;
  };
  static MemoryBytes EstimateMemory(const WriterCounts& counts);

  TermDictionaryWriter(uint64_t hash_seed, size_t field_count)
      : hash_seed_(hash_seed), fields_(field_count) {}

  // Makes room for so many terms, or nothing.
  void Reserve(uint64_t terms);
  // The current term of the stream. entry: complete but for the key, the field and term_bytes,
  // which this call sets; or kEmpty, for SetEntry to complete. kInternal when the term is out of
  // order or not a term.
  absl::Status AddTerm(const TermStream& terms, DictionaryEntry& entry);
  // kInvalidArgument when there are more terms than bucket numbers.
  absl::Status AssignBuckets();
  // Which terms SetEntry is still needed for: their numbers in the order of AddTerm, ascending.
  std::span<const uint32_t> open_terms() const { return open_terms_; }
  // Completes the entry of the term, which is the stream's current one: all but the key, the field
  // and term_bytes. Once for each open term. kInternal when the stream differs from the first pass.
  absl::Status SetEntry(uint32_t number, const TermStream& terms, DictionaryEntry& entry);

  uint64_t term_count() const { return hashes_.size(); }
  uint32_t home_bucket_count() const { return home_bucket_count_; }
  std::span<const FieldTerms> fields() const { return fields_; }
  uint64_t entries_bytes() const { return bucket_count_ * sizeof(DictionaryEntry); }
  uint64_t term_bytes_size() const { return long_terms_.size_bytes(); }
  // At most: whether a list is inline is known only when its entry is.
  uint64_t term_blocks_limit() const { return front_coded_.size_bytes() + rest_of_blocks_limit_; }
  uint64_t block_starts_bytes() const { return (block_starts_.size() + 1) * sizeof(uint64_t); }

  // kInternal when a term has no entry.
  absl::Status WriteEntries(SectionStream& entries) const;
  void WriteTermBytes(SectionStream& term_bytes);
  // Once. Requires all entries.
  absl::Status WriteBlocks(SectionStream& blocks);
  // Requires WriteBlocks.
  void WriteBlockStarts(SectionStream& block_starts) const;

 private:
  struct HashedTerm {
    uint32_t hash;  // the upper half, which the home bucket comes from
    uint32_t term;
  };

  // Of the next term in order of hash, given the first entry that those before it left free.
  uint64_t BucketOf(const HashedTerm& hashed, uint64_t next_free) const;
  absl::Status CheckAllEntriesSet() const;
  // What follows a term's bytes in its block.
  void AppendRest(size_t term, SectionStream& blocks) const;
  // The current term goes into a block.
  void AddToBlock(FieldId field, std::string_view term, size_t shared);

  const uint64_t hash_seed_;
  std::vector<FieldTerms> fields_;
  std::vector<HashedTerm> hashes_;        // by term, then by hash
  std::vector<uint32_t> bucket_numbers_;  // by term
  uint32_t home_bucket_count_ = 1;
  uint64_t bucket_count_ = 0;
  PackedEntries entries_;

  ByteChunks front_coded_;  // the terms of all blocks, without what follows each term's bytes
  uint64_t rest_of_blocks_limit_ = 0;
  std::vector<uint64_t> block_starts_;  // until WriteBlocks: in front_coded_
  uint64_t blocks_bytes_ = 0;
  ByteChunks long_terms_;
  std::vector<uint32_t> open_terms_;
  size_t set_entries_ = 0;  // of open_terms_

  // Of the first pass.
  FieldId last_field_ = 0;
  std::array<char, kMaxTokenBytes> last_term_;
  size_t last_term_bytes_ = 0;  // 0 before the first
  uint32_t terms_in_block_ = 0;
};

}  // namespace pmdex
