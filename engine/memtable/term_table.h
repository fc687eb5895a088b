// The vocabulary of a memtable: (field, term) to the term's postings under construction. Open
// addressing over eight-byte slots, entries of one cache line each in an arena: a look-up that
// hits costs two misses, three for a long term, which the caller hides by taking a batch of tokens
// through the steps of a look-up together: PrefetchSlot, Locate, PrefetchPostings, FindOrInsert.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/memtable/arena.h"
#include "engine/memtable/posting_slices.h"
#include "engine/segment/format.h"
#include "pmem/huge_buffer.h"
#include "pmem/prefetch.h"

namespace pmdex {

struct TermEntry {
  uint64_t head;  // the first eight bytes of the term, zero-padded
  uint32_t rest;  // up to 12 bytes: the others, zero-padded; longer: Arena::Handle of the term
  FieldId field;
  uint8_t term_bytes;  // 1..255
  uint8_t reserved;
  SliceChain postings;  // of what: memtable_postings.h; begins in `first`
  uint8_t first[12];
  uint32_t last_doc;  // of the last posting; 0 before the first
  uint32_t freq;      // of the last posting
  uint32_t last_position;
  uint32_t df;
  uint32_t cf;
};
static_assert(sizeof(TermEntry) == 64);

inline constexpr size_t kInlineEntryTermBytes = 12;
static_assert(kInlineEntryTermBytes <= kReadableTermBytes);

// A term as the table compares it.
struct TermKey {
  uint64_t head = 0;
  uint32_t rest = 0;
  FieldId field = 0;
  uint8_t term_bytes = 0;
  uint32_t hash = 0;
  const char* bytes = nullptr;
};

namespace term_key_internal {

inline uint64_t LoadEight(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}
inline uint32_t LoadFour(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// What of the first twelve bytes belongs to a term of n bytes.
struct InlineMask {
  uint64_t head;
  uint32_t rest;
};
inline constexpr std::array<InlineMask, kInlineEntryTermBytes + 1> kInlineMasks = [] {
  std::array<InlineMask, kInlineEntryTermBytes + 1> masks{};
  for (size_t n = 0; n <= kInlineEntryTermBytes; ++n) {
    masks[n].head = n >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
    masks[n].rest = n <= 8 ? 0 : n == 12 ? ~uint32_t{0} : (uint32_t{1} << 8 * (n - 8)) - 1;
  }
  return masks;
}();

// The multiply-and-fold step of wyhash (Wang Yi).
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Of a term whose first and last sixteen bytes leave some out.
uint64_t HashLongTerm(std::string_view term, uint64_t seed);

// Every byte of a term of 13 bytes or more has its say.
inline uint64_t FoldTerm(const char* bytes, size_t size, uint64_t seed) {
  if (size < 16) {
    return Mix(LoadEight(bytes) ^ seed, LoadEight(bytes + size - 8) ^ 0xa0761d6478bd642fu);
  }
  if (size > 32) return HashLongTerm({bytes, size}, seed);
  const char* const last = bytes + size - 16;
  return Mix(LoadEight(bytes) ^ seed, LoadEight(bytes + 8) ^ 0xa0761d6478bd642fu) ^
         Mix(LoadEight(last) ^ 0x8bb84b93962eacc9u, LoadEight(last + 8) ^ seed);
}

}  // namespace term_key_internal

class TermTable {
 public:
  // Long terms go into `bytes`, which the caller clears and which outlives the table.
  explicit TermTable(Arena& bytes);

  // Requires a term of 1..255 bytes, kReadableTermBytes of them readable.
  TermKey MakeKey(FieldId field, std::string_view term) const;

  // Makes room for so many further terms: until then a place stays valid.
  void Reserve(size_t terms) {
    while (size_ + terms > grow_at_) Grow();
  }

  void PrefetchSlot(const TermKey& key) const { PrefetchLine(&slots_[key.hash & mask_]); }
  // Where the look-up of the key goes on: at its own slot, most likely, or a free one. Prefetches
  // the entry.
  size_t Locate(const TermKey& key) const {
    for (size_t i = key.hash & mask_;; i = (i + 1) & mask_) {
      if (slots_[i].entry == 0) return i;
      if (slots_[i].hash != key.hash) continue;
      PrefetchLine(entries_.At(slots_[i].entry));
      return i;
    }
  }
  // Prefetches what FindOrInsert and an append will touch behind the entry.
  void PrefetchPostings(size_t place) const {
    if (slots_[place].entry == 0) return;
    const TermEntry& entry = EntryAt(slots_[place].entry);
    PrefetchLine(entry.postings.next);
    if (entry.term_bytes > kInlineEntryTermBytes) PrefetchLine(bytes_.At(entry.rest));
  }
  // The term's entry, made when there was none. Stays where it is until Clear. Requires a place of
  // Locate and that Reserve covers the terms since.
  TermEntry& FindOrInsert(const TermKey& key, size_t place);
  TermEntry& FindOrInsert(const TermKey& key) {
    Reserve(1);
    return FindOrInsert(key, key.hash & mask_);
  }

  size_t size() const { return size_; }
  size_t memory_bytes() const { return slot_memory_.size_bytes() + entries_.used_bytes(); }

  TermEntry& EntryAt(Arena::Handle handle) {
    return *reinterpret_cast<TermEntry*>(entries_.At(handle));
  }
  const TermEntry& EntryAt(Arena::Handle handle) const {
    return *reinterpret_cast<const TermEntry*>(entries_.At(handle));
  }
  // Views the entry or the arena of bytes.
  std::string_view TermOf(const TermEntry& entry) const;

  // Calls visit(handle) for every entry, in no order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.entry != 0) visit(slot.entry);
    }
  }

  // Empty again; memory of entries is kept for reuse.
  void Clear();
  void ReleaseUnused() { entries_.ReleaseUnused(); }

 private:
  struct Slot {
    uint32_t hash;
    Arena::Handle entry;  // 0: free
  };
  static constexpr size_t kFirstSlots = size_t{1} << 12;

  bool Matches(const TermEntry& entry, const TermKey& key) const {
    if (entry.head != key.head || entry.field != key.field || entry.term_bytes != key.term_bytes) {
      return false;
    }
    if (key.term_bytes <= kInlineEntryTermBytes) return entry.rest == key.rest;
    return std::memcmp(bytes_.At(entry.rest), key.bytes, key.term_bytes) == 0;
  }
  TermEntry& Insert(size_t slot, const TermKey& key);
  void AllocateSlots(size_t count);
  void Grow();

  Arena& bytes_;
  const uint64_t seed_;
  Arena entries_;
  HugeBuffer slot_memory_;
  std::span<Slot> slots_;  // in slot_memory_; zeros are free slots
  size_t mask_ = 0;
  size_t size_ = 0;
  size_t grow_at_ = 0;
};

inline TermKey TermTable::MakeKey(FieldId field, std::string_view term) const {
  using namespace term_key_internal;
  PMDEX_DCHECK(!term.empty() && term.size() <= 255);
  const uint64_t tag = uint64_t{field} << 8 | term.size();
  const InlineMask mask = kInlineMasks[std::min(term.size(), kInlineEntryTermBytes)];
  const uint64_t head = LoadEight(term.data()) & mask.head;
  const uint32_t rest = LoadFour(term.data() + 8) & mask.rest;
  uint64_t folded;
  if (term.size() <= kInlineEntryTermBytes) [[likely]] {
    folded = Mix(head ^ seed_, 0xa0761d6478bd642fu ^ (tag << 32 | rest));
  } else {
    folded = FoldTerm(term.data(), term.size(), seed_ ^ tag);
  }
  const auto hash =
      static_cast<uint32_t>(Mix(folded ^ 0xe7037ed1a0b428dbu, seed_ ^ 0x8ebc6af09c88c6e3u));
  return {head, rest, field, static_cast<uint8_t>(term.size()), hash, term.data()};
}

inline TermEntry& TermTable::FindOrInsert(const TermKey& key, size_t place) {
  for (size_t i = place;; i = (i + 1) & mask_) {
    const Slot slot = slots_[i];
    if (slot.entry == 0) return Insert(i, key);
    if (slot.hash != key.hash) continue;
    TermEntry& entry = EntryAt(slot.entry);
    if (Matches(entry, key)) return entry;
  }
}

}  // namespace pmdex
