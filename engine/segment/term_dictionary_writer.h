// Writes the dictionary of a segment in step with the writer's three passes over the terms:
//
//   AddTerm for each term      sizes of all sections, hashes
//   AssignSlots                every term gets its slot, in order of hash (no probing)
//   slot(i), for each term     the caller fills in where the postings are
//   WriteTerms                 term bytes and ordered blocks; WriteSlots writes the table
//
// Holds 16 B a term while terms are added, then 100 B a term. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/format.h"
#include "engine/segment/section_stream.h"
#include "engine/segment/segment_input.h"
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

  TermDictionaryWriter(uint64_t hash_seed, size_t field_count)
      : hash_seed_(hash_seed), fields_(field_count) {}

  // The current term of the stream. kInternal when it is out of order or not a term.
  absl::Status AddTerm(const TermStream& terms);
  // kInvalidArgument when there are more terms than slot numbers.
  absl::Status AssignSlots();

  uint64_t term_count() const { return term_count_; }
  uint32_t slot_home_count() const { return slot_home_count_; }
  std::span<const FieldTerms> fields() const { return fields_; }
  uint64_t slots_bytes() const { return slots_.size() * sizeof(TermSlot); }
  uint64_t term_bytes_size() const { return long_term_bytes_; }
  uint64_t term_blocks_size() const { return block_bytes_; }
  uint64_t block_starts_bytes() const { return (block_count_ + 1) * sizeof(uint64_t); }

  // The slot of the index-th term of the stream, its key set by this call, which must be made once
  // a term and in order. kInternal when the stream differs from the first pass.
  absl::StatusOr<TermSlot*> FillKey(const TermStream& terms);

  // The third pass. kInternal when the stream differs from the first.
  absl::Status WriteTerms(TermStream& terms, SectionStream& term_bytes, SectionStream& blocks);
  void WriteSlots(SectionStream& slots) const;
  void WriteBlockStarts(SectionStream& block_starts) const;

 private:
  struct HashedTerm {
    uint64_t hash;
    uint32_t term;
  };
  // How the next term of a field is front-coded. Remembers the term.
  struct Coding {
    bool starts_block = false;
    uint8_t shared = 0;
  };
  Coding NextCoding(FieldId field, std::string_view term);
  void RestartCoding();

  const uint64_t hash_seed_;
  std::vector<FieldTerms> fields_;
  std::vector<HashedTerm> hashes_;
  std::vector<uint32_t> slot_numbers_;  // by term
  std::vector<TermSlot> slots_;
  std::vector<uint64_t> block_starts_;
  uint32_t slot_home_count_ = 1;
  uint64_t term_count_ = 0;
  uint64_t long_term_bytes_ = 0;
  uint64_t block_bytes_ = 0;
  uint64_t block_count_ = 0;
  uint64_t filled_terms_ = 0;
  uint64_t filled_long_bytes_ = 0;

  FieldId last_field_ = 0;
  std::string last_term_;
  uint32_t terms_in_block_ = 0;
};

}  // namespace pmdex
