// The vocabulary of a memtable: it maps (field, term) to the term's postings under construction.
// Terms that have occurred once are kept apart from the others (term_entry.h), with buckets of
// their own. Nearly every token is found among the other terms, which are few and lie close
// together.
//
// A look-up that finds an entry costs two cache misses, three for a long term. The caller hides
// them: it takes a batch of tokens together through the steps PrefetchBucket, Locate,
// PrefetchPostings, Find, and Note if there is no entry. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/memtable/arena.h"
#include "engine/memtable/terms/lookup_key.h"
#include "engine/memtable/terms/term_buckets.h"
#include "engine/memtable/terms/term_entry.h"
#include "pmem/prefetch.h"

namespace pmdex {

// The Arena::Handle of a TermEntry, or that of a HapaxEntry with kHapaxBit set.
using TermHandle = uint32_t;
inline constexpr TermHandle kHapaxBit = TermHandle{1} << 31;

class TermTable {
 public:
  static constexpr uint32_t kMaxParts = TermBuckets::kMaxParts;

  // Long terms go into `bytes`, which outlives the table. Entries take their chunks from `chunks`
  // as an Arena does, and large buckets may (TermBuckets). Requires that `parts` is a power of two,
  // at most kMaxParts.
  explicit TermTable(Arena& bytes, uint32_t parts = 1, ChunkPool* chunks = nullptr,
                     size_t chunk_group = 0);

  LookupKey MakeKey(FieldId field, std::string_view term) const {
    return MakeLookupKey(seed_, field, term);
  }

  // True if the table has one part. Then the steps may be called with kOnePart, which skips
  // choosing the part.
  bool has_one_part() const { return buckets_.has_one_part(); }

  // Makes room for so many more terms, whatever they are.
  void Reserve(size_t terms) {
    buckets_.Reserve(terms);
    hapax_buckets_.Reserve(terms);
  }

  template <bool kOnePart = false>
  void PrefetchBucket(const LookupKey& key) const {
    buckets_.Prefetch<kOnePart>(key.hash);
  }
  // Returns the first entry with this hash, which is very likely that of the term, and prefetches
  // it; nullptr if there is none.
  template <bool kOnePart = false>
  TermEntry* Locate(const LookupKey& key) {
    const Arena::Handle handle = buckets_.Find<kOnePart>(key.hash, IsAny);
    if (handle == 0) {
      hapax_buckets_.Prefetch<kOnePart>(key.hash);
      return nullptr;
    }
    TermEntry* const entry = &EntryAt(handle);
    PrefetchLine(entry);
    return entry;
  }
  // Prefetches what the next steps will touch. `located` is what Locate returned.
  template <bool kOnePart = false>
  void PrefetchPostings(const LookupKey& key, const TermEntry* located) const {
    if (located == nullptr) {
      const Arena::Handle hapax = hapax_buckets_.Find<kOnePart>(key.hash, IsAny);
      if (hapax != 0) PrefetchLine(hapaxes_.At(hapax));
      return;
    }
    PrefetchLine(located->postings.next);
    if (located->term_bytes > kInlineEntryTermBytes) PrefetchLine(bytes_.At(located->rest));
  }
  // The entry of the term; nullptr if it has none. `located` is what Locate returned.
  template <bool kOnePart = false>
  TermEntry* Find(const LookupKey& key, TermEntry* located) {
    if (located != nullptr && Matches(*located, key)) [[likely]]
      return located;
    return FindUnlocated<kOnePart>(key);
  }

  struct Promoted {
    TermEntry* entry;
    Occurrence first;
  };
  // Takes an occurrence of a term that has no entry. Keeps the first occurrence of a term and
  // returns nullptr. For the second one it makes an entry without postings, and returns the entry
  // and the first occurrence. Entries never move. Requires that Reserve has made room for the term.
  Promoted Note(const LookupKey& key, Occurrence occurrence);
  // Returns the entry of a term, or makes one without postings. Requires that Note has kept no
  // occurrence of the term.
  TermEntry& FindOrInsert(const LookupKey& key);

  size_t size() const { return buckets_.size() + hapax_buckets_.size(); }
  // The bytes of all terms, and of those terms that do not fit into their entry.
  uint64_t term_bytes() const { return term_bytes_; }
  uint64_t long_term_bytes() const { return long_term_bytes_; }
  size_t memory_bytes() const { return entry_bytes() + bucket_bytes(); }
  size_t entry_bytes() const { return entries_.used_bytes() + hapaxes_.used_bytes(); }
  size_t bucket_bytes() const { return buckets_.size_bytes() + hapax_buckets_.size_bytes(); }
  // Frees the buckets. The entries stay, but they can no longer be looked up.
  void DropBuckets() {
    buckets_.Drop();
    hapax_buckets_.Drop();
  }

  static bool IsHapax(TermHandle term) { return (term & kHapaxBit) != 0; }
  TermEntry& EntryAt(TermHandle term) { return *reinterpret_cast<TermEntry*>(entries_.At(term)); }
  const TermEntry& EntryAt(TermHandle term) const {
    return *reinterpret_cast<const TermEntry*>(entries_.At(term));
  }
  HapaxEntry& HapaxAt(TermHandle term) {
    return *reinterpret_cast<HapaxEntry*>(hapaxes_.At(term & ~kHapaxBit));
  }
  const HapaxEntry& HapaxAt(TermHandle term) const {
    return *reinterpret_cast<const HapaxEntry*>(hapaxes_.At(term & ~kHapaxBit));
  }
  // The head of an entry of either kind.
  const TermHead& HeadAt(TermHandle term) const {
    if (IsHapax(term)) return HapaxAt(term);
    return EntryAt(term);
  }
  // The term; a view of the entry or of the arena of bytes.
  std::string_view TermOf(const TermHead& term) const;

  // Calls visit(term) for every entry and then for every hapax, in the order in which they lie.
  template <typename Visit>
  void ForEach(Visit visit) const {
    entries_.ForEachBlock(sizeof(TermEntry), visit);
    hapaxes_.ForEachBlock(sizeof(HapaxEntry), [&](Arena::Handle handle) {
      const TermHandle term = handle | kHapaxBit;
      if (HapaxAt(term).occurrence.doc != kNoOccurrence) visit(term);
    });
  }

 private:
  static constexpr auto IsAny = [](Arena::Handle) { return true; };

  bool Matches(const TermHead& term, const LookupKey& key) const {
    const uint64_t differ = LoadWord<uint64_t>(&term.rest) ^ key.rest_and_tag;
    if (key.term_bytes() <= kInlineEntryTermBytes) [[likely]] {
      return ((term.head ^ key.head) | differ) == 0;
    }
    return term.head == key.head && differ >> kTagShift == 0 &&  // `rest` says where it is
           std::memcmp(bytes_.At(term.rest), key.bytes, key.term_bytes()) == 0;
  }
  template <bool kOnePart>
  TermEntry* FindUnlocated(const LookupKey& key) {
    const Arena::Handle handle = buckets_.Find<kOnePart>(
        key.hash, [&](Arena::Handle entry) { return Matches(EntryAt(entry), key); });
    return handle == 0 ? nullptr : &EntryAt(handle);
  }
  TermEntry& InsertEntry(const TermHead& head, uint32_t hash);
  TermHead NewHead(const LookupKey& key);
  Arena::Handle AllocateHapax();

  Arena& bytes_;
  const uint64_t seed_;
  Arena entries_;
  Arena hapaxes_;
  TermBuckets buckets_;
  TermBuckets hapax_buckets_;
  Arena::Handle free_hapax_ = 0;  // a list of free entries, linked through their positions
  uint64_t term_bytes_ = 0;
  uint64_t long_term_bytes_ = 0;
};

}  // namespace pmdex
