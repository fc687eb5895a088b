// The filled entries of a dictionary in the order of its terms, until they are written in the order
// of their hashes: without the bytes that hold nothing, which are most of them in the entry of a
// rare term. Entries that are not known yet keep their place. Belongs to one thread.
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
  // The most bytes that the entries of such a segment take.
  static uint64_t EstimateMemory(const WriterCounts& counts);

  // Makes room for the places of so many.
  void Reserve(uint64_t count) {
    group_places_.reserve(count / kGroup + 1);
    distances_.reserve(count);
  }
  // Requires an entry as PostingWriter fills it, with its key: what its representation leaves out
  // is zero. One with a key and kEmpty has room for any that Set brings later.
  void Add(const DictionaryEntry& entry);
  // Instead of the index-th, which was added with kEmpty; takes all but the key, the field and
  // term_bytes. False when it is not empty, or has another of these; but the offset of a long
  // term's key may be any.
  bool Set(uint64_t index, const DictionaryEntry& entry);
  // Fills `entry` with the index-th that was added.
  void Get(uint64_t index, DictionaryEntry& entry) const;
  // In this order, some time before Get and some time before each other.
  void PrefetchPlace(uint64_t index) const {
    PrefetchLine(&group_places_[index / kGroup]);
    PrefetchLine(&distances_[index]);
  }
  void Prefetch(uint64_t index) const {
    constexpr size_t kLineBytes = 64;
    PrefetchLine(At(index));
    PrefetchLine(At(index) +
                 kLineBytes / 2);  // where most of those end that go on in the next line
  }

  uint64_t count() const { return distances_.size(); }

 private:
  static constexpr uint64_t kGroup = 32;  // entries that share one place

  uint64_t PlaceOf(uint64_t index) const {
    return group_places_[index / kGroup] + distances_[index];
  }
  const std::byte* At(uint64_t index) const { return bytes_.At(PlaceOf(index)); }

  ByteChunks bytes_;
  std::vector<uint64_t> group_places_;
  std::vector<uint16_t> distances_;  // from the place of the group
};

}  // namespace pmdex
