#include "engine/memtable/inverter.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/memtable/memtable_postings.h"

namespace pmdex {

template <bool kPositions, bool kOnePart>
void Inverter::AddTo(std::span<const Token> tokens, FieldId field, DocId doc) {
  terms_.Reserve(tokens.size() + kStages * kBatchTokens);
  while (!tokens.empty()) {
    Batch& batch = batches_[filling_ % kStages];
    const size_t count = std::min(tokens.size(), kBatchTokens - batch.size);
    Enter<kOnePart>(tokens.first(count), field, doc, batch);
    if (batch.size == kBatchTokens) Advance<kPositions, kOnePart>();
    tokens = tokens.subspan(count);
  }
}

template <bool kOnePart>
inline void Inverter::Enter(std::span<const Token> tokens, FieldId field, DocId doc, Batch& batch) {
  PendingToken* pending = batch.tokens.data() + batch.size;
  for (const Token& token : tokens) {
    // In place: a key that was just written and is copied would wait for its stores.
    new (&pending->key) LookupKey(terms_.MakeKey(field, token.term));
    terms_.PrefetchBucket<kOnePart>(pending->key);
    pending->doc = doc;
    pending->position = token.position;
    if (token.term.size() > kInlineEntryTermBytes) [[unlikely]] {
      const size_t number = static_cast<size_t>(pending - batch.tokens.data());
      char* const bytes = batch.long_terms.data() + number * kMaxTokenBytes;
      std::memcpy(bytes, token.term.data(), token.term.size());
      pending->key.bytes = bytes;
    }
    ++pending;
  }
  batch.size += tokens.size();
}

template <bool kPositions, bool kOnePart>
void Inverter::Advance() {
  Write<kPositions, kOnePart>(BatchBefore(3));
  for (PendingToken& token : BatchBefore(2).entered()) {
    terms_.PrefetchPostings<kOnePart>(token.key, token.located);
  }
  for (PendingToken& token : BatchBefore(1).entered()) {
    token.located = terms_.Locate<kOnePart>(token.key);
  }
  ++filling_;
}

template <bool kPositions>
[[gnu::noinline]] TermEntry* Inverter::NoteOccurrence(const PendingToken& token) {
  const auto [entry, first] = terms_.Note(token.key, {token.doc, token.position});
  if (entry != nullptr) AddOccurrence<kPositions>(slices_, *entry, first.doc, first.position);
  return entry;
}

template <bool kPositions, bool kOnePart>
inline void Inverter::Write(Batch& batch) {
  uint64_t postings = 0;
  uint64_t first_postings = 0;
  uint64_t frequent_terms = 0;
  for (PendingToken& token : batch.entered()) {
    TermEntry* entry = terms_.Find<kOnePart>(token.key, token.located);
    if (entry == nullptr) [[unlikely]] {
      entry = NoteOccurrence<kPositions>(token);
      if (entry == nullptr) {
        ++postings;
        ++first_postings;
        continue;
      }
    }
    const bool begins = AddOccurrence<kPositions>(slices_, *entry, token.doc, token.position);
    postings += begins ? 1 : 0;
    const uint32_t seen = kPositions ? entry->cf : entry->df;
    const bool counts = kPositions || begins;
    first_postings += counts && seen <= kMaxInlinePostings + 1 ? 1 : 0;
    frequent_terms += counts && seen == kMaxInlinePostings + 1 ? 1 : 0;
  }
  posting_count_ += postings;
  first_posting_count_ += first_postings;
  frequent_term_count_ += frequent_terms;
  batch.size = 0;
}

template <bool kPositions, bool kOnePart>
void Inverter::FinishIn() {
  for (size_t stage = 0; stage < kStages; ++stage) Advance<kPositions, kOnePart>();
}

void Inverter::Add(std::span<const Token> tokens, FieldId field, DocId doc) {
  if (positions_) {
    terms_.has_one_part() ? AddTo<true, true>(tokens, field, doc)
                          : AddTo<true, false>(tokens, field, doc);
  } else {
    terms_.has_one_part() ? AddTo<false, true>(tokens, field, doc)
                          : AddTo<false, false>(tokens, field, doc);
  }
}

void Inverter::Finish() {
  if (positions_) {
    terms_.has_one_part() ? FinishIn<true, true>() : FinishIn<true, false>();
  } else {
    terms_.has_one_part() ? FinishIn<false, true>() : FinishIn<false, false>();
  }
}

}  // namespace pmdex
