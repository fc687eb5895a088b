// Verifies the posting lists of a segment in the order of their terms, in which they also lie in
// the file. Part of verifier.h. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"
#include "engine/segment/verify/unit_verifier.h"

namespace pmdex {

class ListVerifier {
 public:
  // segment: from Segment::WithoutPageChecks. Both must outlive the verifier.
  ListVerifier(const Segment& segment, FindingList& findings);

  // Verifies the list of the next term. kind, offset: where its entry is, for findings. Requires
  // that entry.field is a field of the segment.
  void Verify(const DictionaryEntry& entry, SectionKind kind, uint64_t offset);
  // Compares the statistics and norms of a field with the sums over its lists. Call it after the
  // last term of the field.
  void FinishField(FieldId field);
  // Compares the sizes of the sections. Call it after the last field.
  void Finish();

 private:
  void CheckPlace(const DictionaryEntry& entry);
  void CheckPadding(const DictionaryEntry& entry);
  void CheckSize(SectionKind kind, uint64_t expected);
  void CheckLaneSections();
  void CheckInlinePadding(const DictionaryEntry& entry);
  bool ReadDocids(const PostingListView& list);
  bool ReadBits(const PostingListView& list);
  void CheckPostings(const DictionaryEntry& entry, const PostingListView& list);
  void CheckPosting(const PostingListView& list, uint32_t i);
  uint64_t CheckPositions(const PostingListView& list, uint32_t freq);
  void CheckBounds(const PostingListView& list, uint32_t i, const BoundPoints& points);
  void CheckBest(const PostingListView& list);
  void CheckBlocks(const DictionaryEntry& entry, const PostingListView& list);
  std::span<const uint8_t> NormsOf(FieldId field) const;
  PostingExtent ExtentOf(const DictionaryEntry& entry) const;
  // Adds a finding at the current entry if the condition is false. Returns the condition.
  bool Expect(bool condition, std::string_view what);

  const Segment& segment_;
  FindingList& findings_;
  SectionKind entry_kind_ = SectionKind::kTermBlocks;
  uint64_t entry_offset_ = 0;
  std::span<const uint8_t> norms_;  // of the entry's field

  UnitVerifier units_;  // of a compressed segment

  // Where the parts of the next list must begin.
  uint64_t postings_end_ = 0;
  uint64_t position_end_ = 0;  // an index in kPositions
  uint64_t block_end_ = 0;
  uint64_t overflow_end_ = 0;
  uint32_t longest_unit_list_ = 0;

  // Of the current list.
  std::span<const DocId> docids_;
  std::vector<DocId> decoded_;  // the docids of a bitset
  uint64_t list_entries_ = 0;   // position entries so far
  uint64_t list_tokens_ = 0;
  size_t run_at_ = 0;  // the next entry of the overflow run
  bool can_read_positions_ = true;

  // Of the current field.
  uint64_t field_terms_ = 0;
  uint64_t field_postings_ = 0;
  uint64_t field_tokens_ = 0;
  std::vector<uint32_t> lengths_;  // indexed by document
};

}  // namespace pmdex
