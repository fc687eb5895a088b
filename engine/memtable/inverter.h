// The hot loop of indexing: tokens in, postings out. A token passes four stages, each of which
// prefetches what the next one touches: its hash finds the bucket, the bucket the entry, the entry
// the end of the stream, where its occurrence is written. Each stage takes a batch of tokens at a
// time, whatever documents these are of, the next stage that batch when a batch has come in
// behind it, so that the misses of all of them overlap.
//
// So the last tokens are not yet in the table: Finish takes them there. Part of a memtable: not
// thread-safe; the table and the slices outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/analysis/analyzer.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/format.h"

namespace pmdex {

class Inverter {
 public:
  Inverter(TermTable& terms, PostingSlices& slices, bool positions)
      : terms_(terms), slices_(slices), positions_(positions) {}

  // Tokens of a field of a document, which need not outlive the call. Documents ascend, and so do
  // the positions of tokens in one of them.
  void Add(std::span<const Token> tokens, FieldId field, DocId doc);
  // To be called before the table or the slices are read.
  void Finish();

  // Of the tokens that are in the table.
  uint64_t posting_count() const { return posting_count_; }
  // Of each term as many as decide whether its list fits into its bucket (WriterCounts).
  uint64_t first_posting_count() const { return first_posting_count_; }

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
    // Long terms among them: their text may be gone.
    std::array<char, kBatchTokens * kMaxTokenBytes> long_terms;
    size_t size = 0;

    std::span<PendingToken> entered() { return std::span(tokens).first(size); }
  };

  // The batch that came in so many batches before the one that is filled now.
  Batch& BatchBefore(size_t batches) { return batches_[(filling_ - batches) % kStages]; }
  template <bool kPositions, bool kOnePart>
  void AddTo(std::span<const Token> tokens, FieldId field, DocId doc);
  template <bool kOnePart>
  void Enter(std::span<const Token> tokens, FieldId field, DocId doc, Batch& batch);
  // Takes every batch to its next stage, the last one out.
  template <bool kPositions, bool kOnePart>
  void Advance();
  template <bool kPositions, bool kOnePart>
  void Write(Batch& batch);
  // Of a term that has no entry: the one it gets when it has occurred before, with the first
  // occurrence in it.
  template <bool kPositions>
  TermEntry* NoteOccurrence(const PendingToken& token);
  template <bool kPositions, bool kOnePart>
  void FinishIn();

  TermTable& terms_;
  PostingSlices& slices_;
  const bool positions_;
  uint64_t posting_count_ = 0;
  uint64_t first_posting_count_ = 0;
  size_t filling_ = 0;  // counts batches
  std::array<Batch, kStages> batches_;
};

}  // namespace pmdex
