// Reads the posting list of one term of one source of a merge, with the docids of the result and
// without deleted documents. Trusts no byte of the source. Belongs to one thread; the source and
// the documents must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

class SourcePostings {
 public:
  // The live part of a list.
  struct Counts {
    uint32_t df = 0;
    uint64_t cf = 0;
    ListExtras extras;
  };

  SourcePostings(const Segment& segment, const MergedDocs& docs, size_t source);

  // From now on the lists are read as if the source had no positions.
  void LeaveOutPositions() { positions_ = false; }

  // False if none of MergedDocs::few is in the list at this place. Does not read the list.
  bool MayHaveFew(const DocumentsPlace& place) const;
  // The counts of a list, without reading its postings if no document of the source is deleted.
  // Returns kDataLoss if bytes that it must read are damaged.
  absl::StatusOr<Counts> Count(const DictionaryEntry& entry) const;

  // Goes to the beginning of a list. Returns kDataLoss if the list is damaged.
  absl::Status Open(const DictionaryEntry& entry);
  // Appends postings to the block until it is full or the list has ended. Docids ascend only
  // without another order. Returns kDataLoss if the list is damaged.
  absl::Status Fill(PostingBlock& block);
  bool at_end() const { return next_ == list_.df; }

  // For lists in another order or with few live postings, after Open: the postings one by one.
  // Appends the docid of each live posting and its index in the list.
  struct Numbered {
    DocId doc;
    uint32_t source;
    uint32_t posting;
  };
  absl::Status AppendAll(std::vector<Numbered>& out);
  // Appends this posting to the block, which must have room.
  absl::Status AppendOne(DocId doc, uint32_t posting, PostingBlock& block);

 private:
  absl::StatusOr<Counts> CountFew(const DictionaryEntry& entry) const;
  absl::Status ReadDocs(uint32_t count);
  absl::Status AppendPositions(uint32_t count, PostingBlock& block);
  absl::Status AppendRun(uint32_t begin, uint32_t end, uint64_t entries, PostingBlock& block);
  void AddExtras(uint32_t posting, ListExtras& extras) const;
  absl::Status AppendPositionsOf(uint32_t posting, PostingBlock& block);
  uint32_t Keep(uint32_t count, PostingBlock& block) const;
  absl::Status Damage(std::string_view what) const;
  absl::StatusOr<ListExtras> ExtrasOf(const DictionaryEntry& entry) const;

  const Segment& segment_;
  const MergedDocs& docs_;
  const size_t source_;
  bool positions_;
  DictionaryEntry entry_{};  // of an inline list, to which list_ refers
  PostingListView list_;
  uint32_t next_ = 0;                            // the posting behind those that were read
  uint64_t next_entry_ = 0;                      // of the positions of an inline list
  uint64_t next_word_ = 0;                       // of the bits: the word behind word_
  uint64_t word_ = 0;                            // bits of the current word that were not read
  std::array<DocId, kBlockPostings> read_docs_;  // of the source
  std::vector<uint32_t> one_;                    // positions of one posting
};

}  // namespace pmdex
