// The hot loop of indexing: tokens in, postings out. A token passes four stations, each of which
// prefetches what the next one touches: its hash finds the slot, the slot the entry, the entry the
// end of the stream, where its occurrence is written. The stations work on different tokens, a
// fixed number apart, whatever document these are of, so that the misses of all of them overlap.
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
#include "engine/memtable/term_table.h"
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

 private:
  static constexpr size_t kDistance = 16;  // tokens between two stations
  static constexpr size_t kTokens = 64;    // at least those under way, 3 * kDistance
  static_assert(kTokens > 3 * kDistance && (kTokens & (kTokens - 1)) == 0);

  struct PendingToken {
    TermKey key;
    TermTable::Place place;
    DocId doc;
    uint32_t position;
  };

  PendingToken& At(size_t number) { return pending_[number % kTokens]; }
  template <bool kPositions, bool kOnePart>
  void AddTo(std::span<const Token> tokens, FieldId field, DocId doc);
  template <bool kPositions, bool kOnePart>
  void FinishIn();
  template <bool kOnePart>
  void Enter(const Token& token, FieldId field, DocId doc, size_t number);
  template <bool kPositions, bool kOnePart>
  void Write(PendingToken& token);

  TermTable& terms_;
  PostingSlices& slices_;
  const bool positions_;
  uint64_t posting_count_ = 0;
  size_t entered_ = 0;  // since the last Finish
  std::array<PendingToken, kTokens> pending_;
  // Long terms of pending tokens: their text may be gone.
  std::array<char, kTokens * kMaxTokenBytes> long_terms_;
};

}  // namespace pmdex
