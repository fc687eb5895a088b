// The term dictionary of a mapped segment: a hash table of 64 B entries that answers an exact
// lookup in one or two cache misses, and the same terms in order (front-coded) for prefix, wildcard
// and fuzzy queries. A view: nothing is loaded, nothing owned; pages are verified as they are read.
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/documents_place.h"
#include "engine/segment/dictionary/term_key.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class TermDictionary {
 public:
  TermDictionary() = default;
  // The view must outlive the dictionary. kDataLoss when its sections and the meta
  // contradict each other.
  static absl::StatusOr<TermDictionary> Open(const SegmentView& view, const SegmentMeta& meta,
                                             std::span<const FieldEntry> fields);

  // nullptr when the segment does not have the term (also for terms of 0 or more than 255 bytes).
  // kDataLoss when what must be read to know is damaged.
  absl::StatusOr<const DictionaryEntry*> Find(FieldId field, std::string_view term) const;

  // Begins to fetch the entry at which Find will begin; nothing is verified, nothing waited for.
  void Prefetch(FieldId field, std::string_view term) const;

  // All entries, not verified: for places and numbers. Those of Find and TermIterator are.
  std::span<const DictionaryEntry> entries() const { return entries_; }
  // The bytes of the term in an entry; points into the mapping or the entry. Empty for an empty
  // bucket.
  absl::StatusOr<std::string_view> Term(const DictionaryEntry& entry) const;

 private:
  friend class TermIterator;
  const SegmentView* view_ = nullptr;
  std::span<const DictionaryEntry> entries_;
  std::span<const FieldEntry> fields_;
  uint64_t hash_seed_ = 0;
  uint32_t home_bucket_count_ = 0;
};

// Walks the terms of one field in byte order. Starts before the first term. Belongs to one thread;
// the dictionary must outlive it. Damaged bytes end the iteration and show in status().
class TermIterator {
 public:
  TermIterator(const TermDictionary& dictionary, FieldId field);

  // To the first term >= target (bytes); false when there is none. May move in both directions;
  // the shorter the way ahead, the less it costs.
  bool Seek(std::string_view target);
  // To a term that about part/parts of the field's terms come before, for who divides them; false
  // when there are none. Requires part < parts.
  bool SeekPart(uint64_t part, uint64_t parts);
  // To the next term (the first after construction); false at the end, then stays at the end.
  bool Next();
  // Valid after a true Seek or Next, until the next move.
  std::string_view term() const { return {term_.data(), term_bytes_}; }
  // Its page is verified here and not on the way: most walks look at few of the entries.
  absl::StatusOr<const DictionaryEntry*> entry() const;
  // Where its documents are, without a look at the entry. Of bytes that may say anything:
  // Segment::LocateDocuments checks them.
  DocumentsPlace documents() const { return ReadDocumentsPlace(place_first_, place_); }
  const absl::Status& status() const { return status_; }
  // Where in the dictionary the walk goes on: a walk that only goes ahead needs nothing before it.
  const std::byte* position() const { return rest_.data(); }

 private:
  // The bytes of a short suffix are copied with what follows them, by a fixed number.
  static constexpr size_t kShortCopy = 16;

  std::span<const std::byte> BlockBytes(uint64_t block);
  std::optional<std::string_view> Head(uint64_t block);
  std::optional<uint64_t> LastBlockUpTo(std::string_view target, uint64_t low, uint64_t high,
                                        uint64_t step);
  bool LoadBlock(uint64_t block);
  bool DecodeNext();
  bool EndHere();
  bool Fail(std::string_view what);

  const TermDictionary* dictionary_;
  std::span<const uint64_t> starts_;  // of all blocks, not verified
  uint64_t first_block_ = 0;
  uint64_t block_count_ = 0;
  uint64_t block_ = 0;               // the block being read, counted from the field's first
  std::span<const std::byte> rest_;  // what is left of it
  bool started_ = false;
  size_t term_bytes_ = 0;  // 0: on no term
  std::array<char, kMaxTokenBytes + kShortCopy> term_;
  uint64_t bucket_ = 0;
  const std::byte* place_ = nullptr;  // of its documents, in the mapping
  std::byte place_first_{};           // the first byte of it
  absl::Status status_;
};

}  // namespace pmdex
