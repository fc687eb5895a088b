// A hash table from the hash of a term to the handle of its entry. It uses open addressing over
// buckets of eight bytes. The table has parts, chosen by the hash; each grows by itself, so the
// memory that growing takes for a while is a fraction of the table. The caller tells terms with the
// same hash apart. Part of a TermTable: not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/memtable/arena.h"
#include "engine/memtable/chunk_pool.h"
#include "pmem/huge_buffer.h"
#include "pmem/prefetch.h"

namespace pmdex {

class TermBuckets {
 public:
  static constexpr uint32_t kMaxParts = 256;

  // Requires that `parts` is a power of two, at most kMaxParts. A table of one part that begins
  // with room for many terms takes a chunk of the pool, if there is a pool, and gives it back.
  explicit TermBuckets(uint32_t parts, ChunkPool* chunks = nullptr, size_t chunk_group = 0);
  ~TermBuckets() { Drop(); }
  TermBuckets(const TermBuckets&) = delete;
  TermBuckets& operator=(const TermBuckets&) = delete;

  // True if the table has one part. Then kOnePart may be true, which skips choosing the part.
  bool has_one_part() const { return part_mask_ == 0; }

  // Makes room for so many more terms, whatever their hashes.
  void Reserve(size_t terms) {
    ForEachPart([this, terms](Part& part) {
      if (part.size + terms > part.grow_at) [[unlikely]]
        GrowFor(part, terms);
    });
  }

  template <bool kOnePart>
  void Prefetch(uint32_t hash) const {
    const Part& part = PartOf<kOnePart>(hash);
    PrefetchLine(&part.buckets[hash & part.mask]);
  }
  // The first handle with this hash for which is_it(handle) is true; 0 if there is none.
  template <bool kOnePart, typename IsIt>
  Arena::Handle Find(uint32_t hash, IsIt is_it) const {
    const Part& part = PartOf<kOnePart>(hash);
    for (size_t i = hash & part.mask;; i = (i + 1) & part.mask) {
      const Bucket bucket = part.buckets[i];
      if (bucket.handle == 0) return 0;
      if (bucket.hash == hash && is_it(bucket.handle)) return bucket.handle;
    }
  }
  // Requires that Reserve has made room, and a handle other than 0 that is not in the table.
  void Insert(uint32_t hash, Arena::Handle handle);
  // Requires that the handle is in the table under this hash.
  void Remove(uint32_t hash, Arena::Handle handle);

  size_t size() const;
  size_t size_bytes() const;
  // Frees the memory. Nothing may be looked up afterwards.
  void Drop() {
    ForEachPart([this](Part& part) { DropPart(part); });
  }

 private:
  struct Bucket {
    uint32_t hash;
    Arena::Handle handle;  // 0 if the bucket is free
  };
  struct Part {
    Bucket* buckets = nullptr;  // in `few` or `memory`; zeros are free buckets
    size_t mask = 0;
    size_t size = 0;
    size_t grow_at = 0;
    // Mapping memory and taking it back would cost a small memtable more than filling it.
    std::vector<Bucket> few;
    HugeBuffer memory;
    bool is_chunk = false;  // memory is a chunk of the pool, of which the buckets are the beginning
  };
  static constexpr size_t kFirstBuckets = size_t{1} << 7;
  static constexpr size_t kMostFewBuckets = size_t{1} << 13;

  // Chooses the part by bits of the hash that do not choose the bucket. The first part is a member,
  // so that a table of one part finds it without a load.
  template <bool kOnePart>
  const Part& PartOf(uint32_t hash) const {
    if constexpr (kOnePart) return first_part_;
    const uint32_t part = hash >> 24 & part_mask_;
    return part == 0 ? first_part_ : other_parts_[part - 1];
  }
  Part& PartOf(uint32_t hash) {
    return const_cast<Part&>(std::as_const(*this).PartOf<false>(hash));
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

  static void Put(Part& part, Bucket bucket);
  void TakeMemory(Part& part, size_t count);
  void TakeChunk(Part& part, size_t count);
  void DropPart(Part& part);
  void Grow(Part& part);
  void GrowFor(Part& part, size_t terms);

  const uint32_t part_mask_;
  ChunkPool* const chunks_;
  const size_t chunk_group_;
  Part first_part_;
  std::vector<Part> other_parts_;
};

}  // namespace pmdex
