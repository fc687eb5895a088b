#include "engine/memtable/inverter.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/memtable/memtable_postings.h"

namespace pmdex {

template <bool kPositions, bool kOnePart>
void Inverter::AddTo(std::span<const Token> tokens, FieldId field, DocId doc) {
  const size_t room = tokens.size() + kTokens;
  if (!terms_.HasRoomFor(room)) {  // places do not outlive a table that grows
    FinishIn<kPositions, kOnePart>();
    terms_.Reserve(room);
  }
  size_t number = entered_;
  for (const Token& token : tokens) {
    Enter<kOnePart>(token, field, doc, number);
    if (number >= kDistance) [[likely]] {
      PendingToken& ahead = At(number - kDistance);
      ahead.place = terms_.Locate<kOnePart>(ahead.key);
    }
    if (number >= 2 * kDistance) [[likely]] {
      terms_.PrefetchPostings(At(number - 2 * kDistance).place);
    }
    if (number >= 3 * kDistance) [[likely]] {
      Write<kPositions, kOnePart>(At(number - 3 * kDistance));
    }
    ++number;
  }
  entered_ = number;
}

template <bool kOnePart>
inline void Inverter::Enter(const Token& token, FieldId field, DocId doc, size_t number) {
  PendingToken& pending = At(number);
  // In place: a key that was just written and is copied would wait for its stores.
  new (&pending.key) TermKey(terms_.MakeKey(field, token.term));
  terms_.PrefetchSlot<kOnePart>(pending.key);
  pending.doc = doc;
  pending.position = token.position;
  if (token.term.size() > kInlineEntryTermBytes) [[unlikely]] {
    char* const bytes = long_terms_.data() + number % kTokens * kMaxTokenBytes;
    std::memcpy(bytes, token.term.data(), token.term.size());
    pending.key.bytes = bytes;
  }
}

template <bool kPositions, bool kOnePart>
inline void Inverter::Write(PendingToken& token) {
  TermEntry& entry = terms_.FindOrInsert<kOnePart>(token.key, token.place);
  const bool begins = AddOccurrence<kPositions>(slices_, entry, token.doc, token.position);
  posting_count_ += begins ? 1 : 0;
}

template <bool kPositions, bool kOnePart>
void Inverter::FinishIn() {
  const size_t end = entered_;
  const auto first = [end](size_t stations) { return end - std::min(end, stations * kDistance); };
  for (size_t i = first(1); i < end; ++i) At(i).place = terms_.Locate<kOnePart>(At(i).key);
  for (size_t i = first(2); i < end; ++i) terms_.PrefetchPostings(At(i).place);
  for (size_t i = first(3); i < end; ++i) Write<kPositions, kOnePart>(At(i));
  entered_ = 0;
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
