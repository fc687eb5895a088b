#include "engine/memtable/term_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

// Different in every process where addresses are, so that no document can be written to collide.
// What is flushed does not depend on it.
uint64_t HashSeed() {
  static const char anchor = 0;
  return reinterpret_cast<uintptr_t>(&anchor) * 0x9e3779b97f4a7c15u;
}

}  // namespace

TermTable::TermTable(Arena& bytes, uint32_t parts, ChunkPool* chunks, size_t chunk_lane)
    : bytes_(bytes),
      seed_(HashSeed()),
      entries_(chunks, chunk_lane),
      part_mask_(parts - 1),
      other_parts_(parts - 1) {
  PMDEX_CHECK(parts > 0 && parts <= kMaxParts && (parts & (parts - 1)) == 0);
  ForEachPart([](Part& part) { AllocateSlots(part, kFirstSlots); });
}

namespace term_key_internal {

uint64_t HashLongTerm(std::string_view term, uint64_t seed) {
  return XXH3_64bits_withSeed(term.data(), term.size(), seed);
}

}  // namespace term_key_internal

std::string_view TermTable::TermOf(const TermEntry& entry) const {
  static_assert(offsetof(TermEntry, rest) == 8, "head and rest are read as one run of bytes");
  const void* bytes = entry.term_bytes <= kInlineEntryTermBytes
                          ? static_cast<const void*>(&entry)
                          : static_cast<const void*>(bytes_.At(entry.rest));
  return {static_cast<const char*>(bytes), entry.term_bytes};
}

TermEntry& TermTable::Insert(Part& part, size_t place, const TermKey& key) {
  const Arena::Handle handle = entries_.Allocate(sizeof(TermEntry));
  TermEntry& entry = *new (entries_.At(handle)) TermEntry{};
  entry.head = key.head;
  std::memcpy(&entry.rest, &key.rest_and_tag, sizeof(key.rest_and_tag));
  entry.postings = PostingSlices::Start(entry.first);
  const size_t term_bytes = key.term_bytes();
  term_bytes_ += term_bytes;
  if (term_bytes > kInlineEntryTermBytes) {
    long_term_bytes_ += term_bytes;
    entry.rest = bytes_.Allocate(term_bytes);
    std::memcpy(bytes_.At(entry.rest), key.bytes, term_bytes);
  }
  part.slots[place] = {key.hash, handle};
  ++part.size;
  return entry;
}

void TermTable::AllocateSlots(Part& part, size_t count) {
  part.memory = HugeBuffer(count * sizeof(Slot));
  part.slots = part.memory.As<Slot>().data();
  part.mask = count - 1;
  part.grow_at = count / 3 * 2;
}

void TermTable::Grow(Part& part) {
  const HugeBuffer old_memory = std::move(part.memory);
  const std::span<const Slot> old = old_memory.As<const Slot>();
  AllocateSlots(part, old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.entry == 0) continue;
    size_t i = slot.hash & part.mask;
    while (part.slots[i].entry != 0) i = (i + 1) & part.mask;
    part.slots[i] = slot;
  }
}

}  // namespace pmdex
