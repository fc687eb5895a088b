// The vocabulary of a memtable: (field, term) to the term's postings under construction, in parts
// by hash, each of which grows for itself: what a growing one takes on top is a fraction. Open
// addressing over eight-byte slots, entries of one cache line each in an arena: a look-up that
// hits costs two misses, three for a long term, which the caller hides by taking a batch of tokens
// through the steps of a look-up together: PrefetchSlot, Locate, PrefetchPostings, FindOrInsert.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

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
  union {
    uint32_t last_position;  // with positions
    uint32_t last_delta;     // without: last_doc minus the document of the posting before
  };
  uint32_t df;
  uint32_t cf;
};
static_assert(sizeof(TermEntry) == 64);

inline constexpr size_t kInlineEntryTermBytes = 12;
static_assert(kInlineEntryTermBytes <= kReadableTermBytes);

inline constexpr int kTagShift = 32;        // of a key's rest_and_tag
inline constexpr int kTermBytesShift = 16;  // of a tag: the field, then the size

// A term as the table compares it: the sixteen bytes that an entry begins with, but for `rest` of a
// long term, as two words.
struct TermKey {
  uint64_t head;
  uint64_t rest_and_tag;  // TermEntry's rest, field and term_bytes
  const char* bytes;
  uint32_t hash;

  size_t term_bytes() const { return rest_and_tag >> (kTagShift + kTermBytesShift); }
};
static_assert(offsetof(TermEntry, rest) == 8 && offsetof(TermEntry, field) == 12 &&
              offsetof(TermEntry, term_bytes) == 14 && offsetof(TermEntry, reserved) == 15);

namespace term_key_internal {

inline uint64_t LoadEight(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// What of the first twelve bytes belongs to a term of n bytes.
struct InlineMask {
  uint64_t head;
  uint64_t rest;
};
inline constexpr std::array<InlineMask, kInlineEntryTermBytes + 1> kInlineMasks = [] {
  std::array<InlineMask, kInlineEntryTermBytes + 1> masks{};
  for (size_t n = 0; n <= kInlineEntryTermBytes; ++n) {
    masks[n].head = n >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
    masks[n].rest = n <= 8 ? 0 : (uint64_t{1} << 8 * (n - 8)) - 1;
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
  static constexpr uint32_t kMaxParts = 256;

  // Long terms go into `bytes`, which outlives the table. Requires a
  // power of two of at most kMaxParts parts. Entries take chunks as an Arena does.
  explicit TermTable(Arena& bytes, uint32_t parts = 1, ChunkPool* chunks = nullptr,
                     size_t chunk_lane = 0);

  // Requires a term of 1..255 bytes, kReadableTermBytes of them readable.
  TermKey MakeKey(FieldId field, std::string_view term) const;

  // Whether the four steps may be told so: it saves them the choice of the part.
  bool has_one_part() const { return part_mask_ == 0; }

  // Makes room for so many further terms, whatever they are.
  void Reserve(size_t terms) {
    ForEachPart([terms](Part& part) {
      while (part.size + terms > part.grow_at) Grow(part);
    });
  }

  template <bool kOnePart = false>
  void PrefetchSlot(const TermKey& key) const {
    const Part& part = PartOf<kOnePart>(key);
    PrefetchLine(&part.slots[key.hash & part.mask]);
  }
  // The entry of the first term with this hash, which is most likely the term's; nullptr when there
  // is none yet. Prefetches it.
  template <bool kOnePart = false>
  TermEntry* Locate(const TermKey& key) {
    const Part& part = PartOf<kOnePart>(key);
    for (size_t i = key.hash & part.mask;; i = (i + 1) & part.mask) {
      const Slot slot = part.slots[i];
      if (slot.entry == 0) return nullptr;
      if (slot.hash != key.hash) continue;
      TermEntry* const entry = &EntryAt(slot.entry);
      PrefetchLine(entry);
      return entry;
    }
  }
  // Prefetches what FindOrInsert and an append will touch behind an entry that Locate gave.
  void PrefetchPostings(const TermEntry* located) const {
    if (located == nullptr) return;
    PrefetchLine(located->postings.next);
    if (located->term_bytes > kInlineEntryTermBytes) PrefetchLine(bytes_.At(located->rest));
  }
  // The term's entry, made when there was none. Stays where it is. Requires what Locate gave, and
  // that Reserve covers the terms since.
  template <bool kOnePart = false>
  TermEntry& FindOrInsert(const TermKey& key, TermEntry* located) {
    if (located != nullptr && Matches(*located, key)) [[likely]]
      return *located;
    return FindOrInsertUnlocated<kOnePart>(key);
  }
  TermEntry& FindOrInsert(const TermKey& key) {
    Reserve(1);
    return FindOrInsertUnlocated<false>(key);
  }

  size_t size() const {
    size_t size = 0;
    ForEachPart([&size](const Part& part) { size += part.size; });
    return size;
  }
  // Of all terms, and of those that do not fit into their entry.
  uint64_t term_bytes() const { return term_bytes_; }
  uint64_t long_term_bytes() const { return long_term_bytes_; }
  size_t memory_bytes() const { return entry_bytes() + slot_bytes(); }
  size_t entry_bytes() const { return entries_.used_bytes(); }
  size_t slot_bytes() const {
    size_t bytes = 0;
    ForEachPart([&bytes](const Part& part) { bytes += part.memory.size_bytes(); });
    return bytes;
  }
  // Gives the slots back. Entries stay, but none can be looked up any more.
  void DropSlots() {
    ForEachPart([](Part& part) { part.memory = HugeBuffer(); });
  }

  TermEntry& EntryAt(Arena::Handle handle) {
    return *reinterpret_cast<TermEntry*>(entries_.At(handle));
  }
  const TermEntry& EntryAt(Arena::Handle handle) const {
    return *reinterpret_cast<const TermEntry*>(entries_.At(handle));
  }
  // Views the entry or the arena of bytes.
  std::string_view TermOf(const TermEntry& entry) const;

  // Calls visit(handle) for every entry, in the order they were made, which is how they lie.
  template <typename Visit>
  void ForEach(Visit visit) const {
    entries_.ForEachBlock(sizeof(TermEntry), visit);
  }

 private:
  struct Slot {
    uint32_t hash;
    Arena::Handle entry;  // 0: free
  };
  struct Part {
    Slot* slots = nullptr;  // in memory; zeros are free slots
    size_t mask = 0;
    size_t size = 0;
    size_t grow_at = 0;
    HugeBuffer memory;
  };
  static constexpr size_t kFirstSlots = size_t{1} << 8;

  // By bits that the place in the part does not depend on. The first part lies here, so that a
  // table of one part finds it at no cost.
  template <bool kOnePart>
  const Part& PartOf(const TermKey& key) const {
    if constexpr (kOnePart) return first_part_;
    const uint32_t part = key.hash >> 24 & part_mask_;
    return part == 0 ? first_part_ : other_parts_[part - 1];
  }
  template <bool kOnePart>
  Part& PartOf(const TermKey& key) {
    return const_cast<Part&>(const_cast<const TermTable*>(this)->PartOf<kOnePart>(key));
  }
  template <typename Visit>
  void ForEachPart(Visit visit) {
    visit(first_part_);
    for (Part& part : other_parts_) visit(part);
  }
  template <typename Visit>
  void ForEachPart(Visit visit) const {
    visit(first_part_);
    for (const Part& part : other_parts_) visit(part);
  }

  bool Matches(const TermEntry& entry, const TermKey& key) const {
    const uint64_t differ =
        term_key_internal::LoadEight(reinterpret_cast<const char*>(&entry.rest)) ^ key.rest_and_tag;
    if (key.term_bytes() <= kInlineEntryTermBytes) [[likely]] {
      return ((entry.head ^ key.head) | differ) == 0;
    }
    return entry.head == key.head && differ >> kTagShift == 0 &&  // `rest` says where it is
           std::memcmp(bytes_.At(entry.rest), key.bytes, key.term_bytes()) == 0;
  }
  template <bool kOnePart>
  TermEntry& FindOrInsertUnlocated(const TermKey& key);
  TermEntry& Insert(Part& part, size_t place, const TermKey& key);
  static void AllocateSlots(Part& part, size_t count);
  static void Grow(Part& part);

  Arena& bytes_;
  const uint64_t seed_;
  Arena entries_;
  const uint32_t part_mask_;
  Part first_part_;
  std::vector<Part> other_parts_;
  uint64_t term_bytes_ = 0;
  uint64_t long_term_bytes_ = 0;
};

inline TermKey TermTable::MakeKey(FieldId field, std::string_view term) const {
  using namespace term_key_internal;
  PMDEX_DCHECK(!term.empty() && term.size() <= 255);
  const uint64_t tag = uint64_t{field} | term.size() << kTermBytesShift;
  const InlineMask mask = kInlineMasks[std::min(term.size(), kInlineEntryTermBytes)];
  const uint64_t head = LoadEight(term.data()) & mask.head;
  const uint64_t rest_and_tag = (LoadEight(term.data() + 8) & mask.rest) | tag << kTagShift;
  uint64_t hash;
  if (term.size() <= kInlineEntryTermBytes) [[likely]] {
    hash = Mix(head ^ seed_, 0xa0761d6478bd642fu ^ rest_and_tag);
  } else {
    hash = Mix(FoldTerm(term.data(), term.size(), seed_ ^ tag) ^ 0xe7037ed1a0b428dbu,
               seed_ ^ 0x8ebc6af09c88c6e3u);
  }
  return {head, rest_and_tag, term.data(), static_cast<uint32_t>(hash)};
}

template <bool kOnePart>
inline TermEntry& TermTable::FindOrInsertUnlocated(const TermKey& key) {
  Part& part = PartOf<kOnePart>(key);
  for (size_t i = key.hash & part.mask;; i = (i + 1) & part.mask) {
    const Slot slot = part.slots[i];
    if (slot.entry == 0) return Insert(part, i, key);
    if (slot.hash != key.hash) continue;
    TermEntry& entry = EntryAt(slot.entry);
    if (Matches(entry, key)) return entry;
  }
}

}  // namespace pmdex
