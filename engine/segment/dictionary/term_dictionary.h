// The term dictionary of a mapped segment. Front-coded blocks hold all terms in order, for prefix,
// wildcard and fuzzy queries, and the inline lists of rare terms with them. Two hash tables find a
// term: that of frequent terms has their entries, that of rare terms says where their lines are.
// The dictionary is a view of the mapped file. It verifies a page when it first reads from it.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/term_key.h"
#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/dictionary/term_signature.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

// One of the two hash tables.
enum class DictionaryTable { kRare, kFrequent };

class TermDictionary {
 public:
  TermDictionary() = default;
  // The view must outlive the dictionary. Returns kDataLoss if the sizes of the sections contradict
  // `meta` or `fields`.
  static absl::StatusOr<TermDictionary> Open(const SegmentView& view, const SegmentMeta& meta,
                                             std::span<const FieldEntry> fields);

  // The entry of a term, or nullopt if the segment does not have the term. Terms of 0 or more than
  // 255 bytes are never found. Returns kDataLoss if bytes that it must read are damaged. first: the
  // table in which it looks first; it looks in the other one if the term is not there. A search for
  // a term that the segment does not have ends sooner in that of rare terms.
  absl::StatusOr<std::optional<DictionaryEntry>> Find(
      FieldId field, std::string_view term, DictionaryTable first = DictionaryTable::kRare) const;
  // The same for callers that look a term up in many segments: writes the entry to `entry` and
  // returns true, or returns false. `entry` means nothing unless the result is true.
  absl::StatusOr<bool> Find(FieldId field, HashedTerm& term, DictionaryTable first,
                            DictionaryEntry& entry) const;

  // Begins to read the home buckets of a term. Waits for nothing and verifies nothing.
  void Prefetch(FieldId field, HashedTerm& term) const;

  // All buckets of the hash table of frequent terms. Their pages are not verified; those of entries
  // that Find and TermIterator return are.
  std::span<const DictionaryEntry> entries() const { return entries_; }
  // The term of one of these entries, as a view of the entry or of the mapping. Empty for an empty
  // bucket.
  absl::StatusOr<std::string_view> Term(const DictionaryEntry& entry) const;
  LineFormat line_format() const { return line_format_; }

  // False for segments of versions of pmdex that wrote no signatures.
  bool has_signatures() const { return has_signatures_; }
  // How many term blocks a field has.
  uint64_t term_block_count(FieldId field) const {
    return field < fields_.size() ? fields_[field].term_block_count : 0;
  }
  // The signatures of `count` of the field's blocks from block `first` on, in place and verified.
  // kDataLoss if they are damaged. Requires has_signatures() and that the field has these blocks.
  absl::StatusOr<std::span<const BlockSignatures>> Signatures(FieldId field, uint64_t first,
                                                              uint64_t count) const;

 private:
  friend class TermIterator;

  // They write the entry as Find does. home: the bucket at which they begin.
  absl::StatusOr<bool> FindFrequent(FieldId field, const HashedTerm& term, uint64_t home,
                                    DictionaryEntry& entry) const;
  absl::StatusOr<bool> FindRare(FieldId field, const HashedTerm& term, uint64_t hash, uint64_t home,
                                DictionaryEntry& entry) const;
  absl::StatusOr<bool> ReadRareTerm(FieldId field, std::string_view term, RareTermSlot slot,
                                    DictionaryEntry& entry) const;

  const SegmentView* view_ = nullptr;
  std::span<const DictionaryEntry> entries_;
  std::span<const FieldEntry> fields_;
  uint64_t hash_seed_ = 0;
  uint32_t home_bucket_count_ = 0;
  std::span<const RareTermSlot> rare_slots_;
  uint32_t rare_bucket_count_ = 0;
  LineFormat line_format_;
  bool has_signatures_ = false;
};

}  // namespace pmdex
