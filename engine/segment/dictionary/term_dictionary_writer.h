// Builds the term dictionary of a segment and writes its sections. The segment writer makes two
// passes over the terms and calls in this order:
//
//   AddTerm        for each term in the first pass; inline lists come with their postings
//   AssignBuckets  once; gives each term its bucket, and the sizes of all sections are known
//   SetEntry       for each of open_terms() in the second pass
//   Write...       once each; WriteBlockStarts after WriteBlocks
//
// It holds the front-coded terms, a packed entry of each term, and long terms once more. Belongs to
// one thread.
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

  // An upper bound of the memory of the writer of a segment, without the last chunks of three
  // ByteChunks.
  struct MemoryBytes {
    uint64_t laying_out = 0;  // until AssignBuckets returns
    uint64_t writing = 0;     // after that
  };
  static MemoryBytes EstimateMemory(const WriterCounts& counts);

  TermDictionaryWriter(uint64_t hash_seed, size_t field_count)
      : hash_seed_(hash_seed), fields_(field_count) {}

  // Reserves memory for an expected number of terms; 0 if it is unknown.
  void Reserve(uint64_t terms);
  // Adds the current term of the stream. entry: that of an inline list, or with kEmpty if SetEntry
  // will complete it. This call sets its key, field and term_bytes. Returns kInternal if the term
  // is out of order or cannot be a term, and kInvalidArgument if there are too many terms.
  absl::Status AddTerm(const TermStream& terms, DictionaryEntry& entry);
  // Returns kInvalidArgument if there are more terms than bucket numbers.
  absl::Status AssignBuckets();
  // The terms that were added with kEmpty: their ascending indices in the order of AddTerm.
  std::span<const uint32_t> open_terms() const { return open_terms_; }
  // Completes the entry of the term with this index, which must be the current term of the stream.
  // This call sets the key, field and term_bytes of `entry`. Call it once for each open term.
  // Returns kInternal if the term differs from that of the first pass.
  absl::Status SetEntry(uint32_t number, const TermStream& terms, DictionaryEntry& entry);

  uint64_t term_count() const { return hashes_.size(); }
  uint32_t home_bucket_count() const { return home_bucket_count_; }
  std::span<const FieldTerms> fields() const { return fields_; }
  uint64_t entries_bytes() const { return bucket_count_ * sizeof(DictionaryEntry); }
  uint64_t term_bytes_size() const { return long_terms_.size_bytes(); }
  // An upper bound: which lists are inline is known only when all entries are complete.
  uint64_t term_blocks_limit() const { return front_coded_.size_bytes() + rest_of_blocks_limit_; }
  uint64_t block_starts_bytes() const { return (block_starts_.size() + 1) * sizeof(uint64_t); }

  // Returns kInternal if an entry was not completed.
  absl::Status WriteEntries(SectionStream& entries) const;
  void WriteTermBytes(SectionStream& term_bytes);
  // Returns kInternal if an entry was not completed.
  absl::Status WriteBlocks(SectionStream& blocks);
  // Requires WriteBlocks.
  void WriteBlockStarts(SectionStream& block_starts) const;

 private:
  struct HashedTerm {
    uint32_t hash;  // the upper half of the hash, which gives the home bucket
    uint32_t term;  // its index
  };

  // The bucket of the next term in the order of hashes. next_free: the first bucket behind those of
  // the terms before it.
  uint64_t BucketOf(const HashedTerm& hashed, uint64_t next_free) const;
  absl::Status CheckAllEntriesSet() const;
  // Appends what follows a term's bytes in its block: its bucket and where its documents are.
  void AppendRest(size_t term, SectionStream& blocks) const;
  // Appends the term to front_coded_. shared: the bytes that it shares with the term before it.
  void AddToBlock(FieldId field, std::string_view term, size_t shared);

  const uint64_t hash_seed_;
  std::vector<FieldTerms> fields_;
  std::vector<HashedTerm> hashes_;        // in the order of AddTerm, later in that of hashes
  std::vector<uint32_t> bucket_numbers_;  // indexed by term
  uint32_t home_bucket_count_ = 1;
  uint64_t bucket_count_ = 0;
  PackedEntries entries_;

  ByteChunks front_coded_;  // the terms of all blocks, without what AppendRest appends
  uint64_t rest_of_blocks_limit_ = 0;
  std::vector<uint64_t> block_starts_;  // in front_coded_; after WriteBlocks in kTermBlocks
  uint64_t blocks_bytes_ = 0;
  ByteChunks long_terms_;
  std::vector<uint32_t> open_terms_;
  size_t set_entries_ = 0;  // calls of SetEntry

  // The term that was added last.
  FieldId last_field_ = 0;
  std::array<char, kMaxTokenBytes> last_term_;
  size_t last_term_bytes_ = 0;  // 0 before the first
  uint32_t terms_in_block_ = 0;
};

}  // namespace pmdex
