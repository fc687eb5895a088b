// The term dictionary of a mapped segment. It has the terms twice. A hash table of 64-byte entries
// finds a term in one or two cache misses. Front-coded blocks hold the terms in order, for prefix,
// wildcard and fuzzy queries. The dictionary is a view of the mapped file. It verifies a page when
// it first reads from it. Thread-safe.
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
  // The view must outlive the dictionary. Returns kDataLoss if the sizes of the sections contradict
  // `meta` or `fields`.
  static absl::StatusOr<TermDictionary> Open(const SegmentView& view, const SegmentMeta& meta,
                                             std::span<const FieldEntry> fields);

  // The entry of a term, or nullptr if the segment does not have the term. Terms of 0 or more than
  // 255 bytes are never found. Returns kDataLoss if entries that it must read are damaged.
  absl::StatusOr<const DictionaryEntry*> Find(FieldId field, std::string_view term) const;

  // Begins to read the home bucket of a term. Waits for nothing and verifies nothing.
  void Prefetch(FieldId field, std::string_view term) const;

  // All buckets of the hash table. Their pages are not verified; those of entries that Find and
  // TermIterator return are.
  std::span<const DictionaryEntry> entries() const { return entries_; }
  // The term of an entry, as a view of the entry or of the mapping. Empty for an empty bucket.
  absl::StatusOr<std::string_view> Term(const DictionaryEntry& entry) const;

 private:
  friend class TermIterator;
  const SegmentView* view_ = nullptr;
  std::span<const DictionaryEntry> entries_;
  std::span<const FieldEntry> fields_;
  uint64_t hash_seed_ = 0;
  uint32_t home_bucket_count_ = 0;
};

// Iterates over the terms of one field in byte order. It begins before the first term. Damaged
// bytes end the iteration, and status() is then not OK. Belongs to one thread; the dictionary must
// outlive it.
class TermIterator {
 public:
  TermIterator(const TermDictionary& dictionary, FieldId field);

  // Moves to the first term >= target, forward or backward. Returns false if there is none. Costs
  // less if the target is a short way ahead.
  bool Seek(std::string_view target);
  // Moves to a term before which about part/parts of the field's terms lie, for callers that divide
  // the terms among threads. Returns false if the field has no terms. Requires part < parts.
  bool SeekPart(uint64_t part, uint64_t parts);
  // Moves to the next term; at first to the first term. Returns false at the end and stays there.
  bool Next();
  // The current term; valid until the iterator moves. Like entry() and documents(), it requires
  // that the last Seek, SeekPart or Next returned true.
  std::string_view term() const { return {term_.data(), term_bytes_}; }
  // The entry of the current term. Its page is verified by this call, because most callers need the
  // entries of few terms.
  absl::StatusOr<const DictionaryEntry*> entry() const;
  // Where the documents of the current term are. Does not read the entry. The values are not
  // checked; Segment::LocateDocuments checks them.
  DocumentsPlace documents() const { return ReadDocumentsPlace(place_first_, place_); }
  const absl::Status& status() const { return status_; }
  // The byte at which Next will read. A caller that only moves forward needs none of the bytes
  // before it any more.
  const std::byte* position() const { return rest_.data(); }

 private:
  // So many bytes are copied for any shorter suffix, because a copy of a fixed size is faster.
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
  std::span<const uint64_t> starts_;  // of all blocks; pages not verified
  uint64_t first_block_ = 0;
  uint64_t block_count_ = 0;
  uint64_t block_ = 0;               // the current block, counted from the field's first
  std::span<const std::byte> rest_;  // the bytes of it behind the current term
  bool started_ = false;
  size_t term_bytes_ = 0;  // 0 if there is no current term
  std::array<char, kMaxTokenBytes + kShortCopy> term_;
  uint64_t bucket_ = 0;               // of the current term
  const std::byte* place_ = nullptr;  // where its documents are (documents_place.h)
  std::byte place_first_{};           // *place_, read once
  absl::Status status_;
};

}  // namespace pmdex
