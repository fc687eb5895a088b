// The part of the verifier that walks posting lists, in the order of their terms: the order in
// which their bytes lie in the file. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"

namespace pmdex {

class ListVerifier {
 public:
  // segment: without page checks (Segment::WithoutPageChecks).
  ListVerifier(const Segment& segment, FindingList& findings);

  // The next term's entry. Requires entry.field to be a field of the segment.
  void Verify(const DictionaryEntry& entry);
  // After the last term of a field: its statistics and norms against what its lists added up to.
  void FinishField(FieldId field);
  // After the last field: section sizes, documents' token counts.
  void Finish();

 private:
  void CheckPlace(const DictionaryEntry& entry);
  void CheckPadding(const DictionaryEntry& entry);
  void CheckInlinePadding(const DictionaryEntry& entry);
  bool ReadDocids(const PostingListView& list);
  bool ReadBits(const PostingListView& list);
  void CheckPostings(const DictionaryEntry& entry, const PostingListView& list);
  void CheckPosting(const PostingListView& list, uint32_t i);
  uint64_t CheckPositions(const PostingListView& list, uint32_t freq);
  void CheckBounds(const PostingListView& list, uint32_t i, const BoundPoints& points);
  void CheckBlocks(const DictionaryEntry& entry, const PostingListView& list);
  std::span<const uint8_t> NormsOf(FieldId field) const;
  PostingExtent ExtentOf(const DictionaryEntry& entry) const;
  uint64_t EntryOffset(const DictionaryEntry& entry) const;
  bool Expect(bool condition, std::string_view what);  // of the entry being verified

  const Segment& segment_;
  FindingList& findings_;
  const DictionaryEntry* entry_ = nullptr;
  std::span<const uint8_t> norms_;  // of the entry's field

  // Where the next list's parts must be.
  uint64_t postings_end_ = 0;
  uint64_t position_end_ = 0;  // entries
  uint64_t block_end_ = 0;
  uint64_t overflow_end_ = 0;

  // Of the list.
  std::span<const DocId> docids_;
  std::vector<DocId> decoded_;  // where docids_ are when the list has bits
  uint64_t list_entries_ = 0;   // position entries so far
  uint64_t list_tokens_ = 0;
  size_t run_at_ = 0;  // the next entry of the overflow run

  // Of the field, and of all.
  uint64_t field_terms_ = 0;
  uint64_t field_postings_ = 0;
  uint64_t field_tokens_ = 0;
  std::vector<uint32_t> lengths_;     // by document
  std::vector<uint64_t> doc_tokens_;  // by document
};

}  // namespace pmdex
