#include "engine/memtable/terms/term_table.h"

#include <new>

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

TermTable::TermTable(Arena& bytes, uint32_t parts, ChunkPool* chunks, size_t chunk_group)
    : bytes_(bytes),
      seed_(HashSeed()),
      entries_(chunks, chunk_group),
      hapaxes_(chunks, chunk_group),
      buckets_(parts, chunks, chunk_group),
      hapax_buckets_(parts, chunks, chunk_group) {}

std::string_view TermTable::TermOf(const TermHead& term) const {
  static_assert(offsetof(TermHead, rest) == 8, "head and rest are read as one run of bytes");
  const void* bytes = term.term_bytes <= kInlineEntryTermBytes
                          ? static_cast<const void*>(&term)
                          : static_cast<const void*>(bytes_.At(term.rest));
  return {static_cast<const char*>(bytes), term.term_bytes};
}

TermTable::Promoted TermTable::Note(const LookupKey& key, Occurrence occurrence) {
  const Arena::Handle found = hapax_buckets_.Find<false>(
      key.hash, [&](Arena::Handle hapax) { return Matches(HapaxAt(hapax), key); });
  if (found != 0) {
    HapaxEntry& hapax = HapaxAt(found);
    const Promoted promoted = {&InsertEntry(hapax, key.hash), hapax.occurrence};
    hapax_buckets_.Remove(key.hash, found);
    hapax.occurrence = {kNoOccurrence, free_hapax_};
    free_hapax_ = found;
    return promoted;
  }
  const Arena::Handle handle = AllocateHapax();
  new (&HapaxAt(handle)) HapaxEntry{NewHead(key), occurrence};
  hapax_buckets_.Insert(key.hash, handle);
  return {};
}

TermEntry& TermTable::FindOrInsert(const LookupKey& key) {
  Reserve(1);
  TermEntry* const entry = FindUnlocated<false>(key);
  return entry != nullptr ? *entry : InsertEntry(NewHead(key), key.hash);
}

TermEntry& TermTable::InsertEntry(const TermHead& head, uint32_t hash) {
  const Arena::Handle handle = entries_.Allocate(sizeof(TermEntry));
  PMDEX_CHECK(!IsHapax(handle));
  TermEntry& entry = *new (entries_.At(handle)) TermEntry{};
  static_cast<TermHead&>(entry) = head;
  entry.postings = PostingSlices::Start(entry.first);
  buckets_.Insert(hash, handle);
  return entry;
}

TermHead TermTable::NewHead(const LookupKey& key) {
  TermHead head{};
  head.head = key.head;
  std::memcpy(&head.rest, &key.rest_and_tag, sizeof(key.rest_and_tag));
  const size_t term_bytes = key.term_bytes();
  term_bytes_ += term_bytes;
  if (term_bytes > kInlineEntryTermBytes) {
    long_term_bytes_ += term_bytes;
    head.rest = bytes_.Allocate(term_bytes);
    std::memcpy(bytes_.At(head.rest), key.bytes, term_bytes);
  }
  return head;
}

Arena::Handle TermTable::AllocateHapax() {
  if (free_hapax_ == 0) {
    const Arena::Handle handle = hapaxes_.Allocate(sizeof(HapaxEntry));
    PMDEX_CHECK(!IsHapax(handle));
    return handle;
  }
  const Arena::Handle handle = free_hapax_;
  free_hapax_ = HapaxAt(handle).occurrence.position;
  return handle;
}

}  // namespace pmdex
