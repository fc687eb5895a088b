// The hot loop of indexing, which makes postings from tokens. A token passes four stages. Each
// prefetches what the next one touches: the hash finds the bucket, the bucket leads to the entry,
// the entry to the end of the stream, and there the occurrence is written. A stage takes a batch of
// tokens at a time, whatever documents they are from. A batch moves on to its next stage when
// another one has come in behind it, so the cache misses of all its tokens overlap.
//
// So the last tokens are not in the table until Finish. Part of a memtable: not thread-safe. The
// table and the slices outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/analysis/token.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/format.h"

namespace pmdex {

class Inverter {
 public:
  Inverter(TermTable& terms, PostingSlices& slices, bool positions)
      : terms_(terms), slices_(slices), positions_(positions) {}

  // Adds tokens of a field of a document; the tokens need not outlive the call. Requires ascending
  // documents, and ascending positions in a field of a document.
  void Add(std::span<const Token> tokens, FieldId field, DocId doc);
  // Brings all tokens into the table. Call it before the table or the slices are read.
  void Finish();

  // The postings of the tokens that are in the table.
  uint64_t posting_count() const { return posting_count_; }
  // How many of these are among the first postings of their term, and how many terms have more than
  // fit into their line of the segment's dictionary (WriterCounts).
  uint64_t first_posting_count() const { return first_posting_count_; }
  uint64_t frequent_term_count() const { return frequent_term_count_; }

 private:
  static constexpr size_t kBatchTokens = 16;
  static constexpr size_t kStages = 4;

  struct PendingToken {
    LookupKey key;
    TermEntry* located;
    DocId doc;
    uint32_t position;
  };
  struct Batch {
    std::array<PendingToken, kBatchTokens> tokens;
    // Copies of the long terms among them, because the text may be gone.
    std::array<char, kBatchTokens * kMaxTokenBytes> long_terms;
    size_t size = 0;

    std::span<PendingToken> entered() { return std::span(tokens).first(size); }
  };

  // The batch that came in so many batches before the current one.
  Batch& BatchBefore(size_t batches) { return batches_[(filling_ - batches) % kStages]; }
  template <bool kPositions, bool kOnePart>
  void AddTo(std::span<const Token> tokens, FieldId field, DocId doc);
  template <bool kOnePart>
  void Enter(std::span<const Token> tokens, FieldId field, DocId doc, Batch& batch);
  // Moves every batch to its next stage; the last batch leaves.
  template <bool kPositions, bool kOnePart>
  void Advance();
  template <bool kPositions, bool kOnePart>
  void Write(Batch& batch);
  // Notes an occurrence of a term that has no entry. If the term has occurred once before, makes an
  // entry with that first occurrence and returns it; otherwise returns nullptr.
  template <bool kPositions>
  TermEntry* NoteOccurrence(const PendingToken& token);
  template <bool kPositions, bool kOnePart>
  void FinishIn();

  TermTable& terms_;
  PostingSlices& slices_;
  const bool positions_;
  uint64_t posting_count_ = 0;
  uint64_t first_posting_count_ = 0;
  uint64_t frequent_term_count_ = 0;
  size_t filling_ = 0;  // the number of the current batch
  std::array<Batch, kStages> batches_;
};

}  // namespace pmdex
