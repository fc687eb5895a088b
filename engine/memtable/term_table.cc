#include "engine/memtable/term_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <new>
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

uint64_t LoadEight(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}
uint32_t LoadFour(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// Up to eight bytes, zero-padded, without reading beyond them.
uint64_t LoadUpToEight(const char* bytes, size_t count) {
  if (count >= 8) return LoadEight(bytes);
  if (count >= 4) {
    return LoadFour(bytes) | uint64_t{LoadFour(bytes + count - 4)} << (8 * (count - 4));
  }
  if (count == 0) return 0;
  const auto byte = [bytes](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[i])}; };
  return byte(0) | byte(count / 2) << (8 * (count / 2)) | byte(count - 1) << (8 * (count - 1));
}

// The multiply-and-fold step of wyhash (Wang Yi).
uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint32_t HashKey(const TermKey& key, uint64_t seed) {
  const uint64_t tag = uint64_t{key.field} << 8 | key.term_bytes;
  if (key.term_bytes > kInlineEntryTermBytes) {
    return static_cast<uint32_t>(XXH3_64bits_withSeed(key.bytes, key.term_bytes, seed ^ tag));
  }
  const uint64_t first = Mix(key.head ^ seed, 0xa0761d6478bd642fu ^ (tag << 32 | key.rest));
  return static_cast<uint32_t>(Mix(first ^ 0xe7037ed1a0b428dbu, seed ^ 0x8ebc6af09c88c6e3u));
}

}  // namespace

TermTable::TermTable(Arena& bytes) : bytes_(bytes) {
  Clear();
}

TermKey TermTable::MakeKey(FieldId field, std::string_view term) const {
  PMDEX_DCHECK(!term.empty() && term.size() <= 255);
  static const uint64_t seed = HashSeed();
  TermKey key;
  key.bytes = term.data();
  key.field = field;
  key.term_bytes = static_cast<uint8_t>(term.size());
  key.head = LoadUpToEight(term.data(), term.size());
  if (term.size() > 8 && term.size() <= kInlineEntryTermBytes) {
    key.rest = static_cast<uint32_t>(LoadUpToEight(term.data() + 8, term.size() - 8));
  }
  key.hash = HashKey(key, seed);
  return key;
}

std::string_view TermTable::TermOf(const TermEntry& entry) const {
  static_assert(offsetof(TermEntry, rest) == 8, "head and rest are read as one run of bytes");
  const void* bytes = entry.term_bytes <= kInlineEntryTermBytes
                          ? static_cast<const void*>(&entry)
                          : static_cast<const void*>(bytes_.At(entry.rest));
  return {static_cast<const char*>(bytes), entry.term_bytes};
}

TermEntry& TermTable::Insert(size_t slot, const TermKey& key) {
  const Arena::Handle handle = entries_.Allocate(sizeof(TermEntry));
  TermEntry& entry = *new (entries_.At(handle)) TermEntry{};
  entry.head = key.head;
  entry.rest = key.rest;
  entry.field = key.field;
  entry.term_bytes = key.term_bytes;
  entry.last_doc = kNoDoc;
  if (key.term_bytes > kInlineEntryTermBytes) {
    entry.rest = bytes_.Allocate(key.term_bytes);
    std::memcpy(bytes_.At(entry.rest), key.bytes, key.term_bytes);
  }
  slots_[slot] = {key.hash, handle};
  if (++size_ == grow_at_) Grow();
  return entry;
}

void TermTable::AllocateSlots(size_t count) {
  slot_memory_ = HugeBuffer(count * sizeof(Slot));
  slots_ = slot_memory_.As<Slot>();
  mask_ = count - 1;
  grow_at_ = count / 3 * 2;
}

void TermTable::Grow() {
  const HugeBuffer old_memory = std::move(slot_memory_);
  const std::span<const Slot> old = old_memory.As<const Slot>();
  AllocateSlots(old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.entry == 0) continue;
    size_t i = slot.hash & mask_;
    while (slots_[i].entry != 0) i = (i + 1) & mask_;
    slots_[i] = slot;
  }
}

void TermTable::Clear() {
  AllocateSlots(kFirstSlots);
  size_ = 0;
  entries_.Clear();
}

}  // namespace pmdex
