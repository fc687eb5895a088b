// The dictionary entries of a segment that is being written. They are added in the order of the
// terms and read in the order of their hashes. Meanwhile they are packed: unused bytes are left
// out, which are most bytes of the entry of a rare term. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/segment/dictionary/byte_chunks.h"
#include "engine/segment/format.h"
#include "engine/segment/writer_counts.h"
#include "pmem/prefetch.h"

namespace pmdex {

class PackedEntries {
 public:
  // An upper bound of the memory of the packed entries of a segment.
  static uint64_t EstimateMemory(const WriterCounts& counts);

  // Reserves memory for the places of `count` entries.
  void Reserve(uint64_t count) {
    group_places_.reserve(count / kGroup + 1);
    distances_.reserve(count);
  }
  // Adds the next entry. Requires that all bytes are 0 that its representation does not use. An
  // entry with kEmpty has a key, field and term_bytes only, and room for what Set adds later.
  void Add(const DictionaryEntry& entry);
  // Completes the entry at `index`, which was added with kEmpty. Returns false, and changes
  // nothing, if that entry is not kEmpty or has another key, field or term_bytes. The offset in the
  // key of a long term is not compared.
  bool Set(uint64_t index, const DictionaryEntry& entry);
  // Fills `entry` with the entry at `index`.
  void Get(uint64_t index, DictionaryEntry& entry) const;
  // Fetch what Get will read into the CPU's cache. Call PrefetchPlace first, some time later
  // Prefetch, and again some time later Get.
  void PrefetchPlace(uint64_t index) const {
    PrefetchLine(&group_places_[index / kGroup]);
    PrefetchLine(&distances_[index]);
  }
  void Prefetch(uint64_t index) const {
    constexpr size_t kLineBytes = 64;
    PrefetchLine(At(index));
    // Most entries that continue in the next cache line reach this byte.
    PrefetchLine(At(index) + kLineBytes / 2);
  }

  uint64_t count() const { return distances_.size(); }

 private:
  static constexpr uint64_t kGroup = 32;  // entries in a group

  uint64_t PlaceOf(uint64_t index) const {
    return group_places_[index / kGroup] + distances_[index];
  }
  const std::byte* At(uint64_t index) const { return bytes_.At(PlaceOf(index)); }

  ByteChunks bytes_;
  std::vector<uint64_t> group_places_;  // of the first entry of each group
  std::vector<uint16_t> distances_;     // of each entry from that place
};

}  // namespace pmdex
