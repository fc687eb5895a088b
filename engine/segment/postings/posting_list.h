// A view of one posting list in a mapped segment: pointers into the lanes, nothing copied. Obtained
// from Segment::Postings, which has checked that every lane lies inside its section and verified
// its pages (those of the positions are verified as they are read); valid while
// the Segment is. The values in the lanes are not checked: users must stay in bounds whatever they
// hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class SegmentView;

enum class ListParts {
  kScores,  // documents, frequencies, lengths and bounds: the view has no positions
  kAll,     // positions too, in a segment that has them
};

struct PostingListView {
  uint32_t df = 0;
  uint64_t cf = 0;
  // df, ascending; readable to the end of a 64 B vector (not for inline lists). nullptr: see bits.
  const DocId* docids = nullptr;
  // Instead of docids, for terms of many documents: bit d says that document d has the term. Whole
  // runs of 512 bits, zeros behind the last document.
  const uint64_t* bits = nullptr;
  // With bits: how many are set before bit 512 * i, and df at the end (as many as runs, and one).
  const uint32_t* ranks = nullptr;
  uint32_t doc_count = 0;            // of the segment; with bits it says how long they are
  const uint8_t* freqs = nullptr;    // df; kFreqEscape: see Freq
  const uint8_t* codes = nullptr;    // df length codes (norms.h)
  const uint32_t* groups = nullptr;  // position group starts 1, 2, ...; with ListParts::kAll
  std::span<const uint16_t>
      positions;  // from the list's first entry to the end of what it may touch
  const SegmentView* unverified_positions = nullptr;  // where to verify them; nullptr: done
  uint64_t position_start = 0;                        // of positions[0] in its section
  std::span<const OverflowEntry> overflow;            // sorted by posting
  std::span<const uint32_t> block_last_docs;          // empty for a list of one block
  std::span<const BoundPoints> block_bounds;
  BoundPoints bounds{};  // of the whole list; computed for inline lists
  bool is_inline = false;

  // The document of posting i. With bits a binary search over the ranks, then a walk over one run;
  // where they contradict each other the answer may be beyond the last document. Requires i < df.
  DocId Doc(uint32_t i) const { return docids != nullptr ? docids[i] : SelectDoc(i); }
  // The index of doc's posting, nullopt when there is none. A binary search; with bits Rank.
  std::optional<uint32_t> PostingOf(DocId doc) const;
  // How many documents before doc the bits have: the index of doc's posting when its own bit is
  // set. A rank and at most eight words; may be df or more in a damaged list. Requires bits, doc <
  // doc_count.
  uint32_t Rank(DocId doc) const;
  // The first document >= from whose bit is set, 0xffffffff when there is none; may be beyond the
  // last document in a damaged list. Costs a word for each 64 documents passed. Requires bits.
  DocId FirstFrom(DocId from) const;

  // Requires i < df.
  uint32_t Freq(uint32_t i) const { return freqs[i] != kFreqEscape ? freqs[i] : OverflowFreq(i); }
  // Replaces `out` by the positions of posting i, ascending; Freq(i) of them, or none when the list
  // has no positions. kDataLoss when the bytes are damaged or make no sense. Requires i < df.
  absl::Status ReadPositions(uint32_t i, std::vector<uint32_t>& out) const;
  // The same where they lie, when every entry is a position: no page marks, no escapes nearby.
  // Otherwise, and when something is wrong, empty: ReadPositions knows. Requires i < df.
  std::span<const uint16_t> PositionsInPlace(uint32_t i) const {
    return VerifyPositions(i, i + 1) ? EntriesInPlace(i) : std::span<const uint16_t>();
  }
  // For many postings of a run of them: whether the pages that hold the positions of [begin, end)
  // are sound, once; then EntriesInPlace is PositionsInPlace of each. Requires begin < end <= df.
  bool VerifyPositions(uint32_t begin, uint32_t end) const;
  std::span<const uint16_t> EntriesInPlace(uint32_t i) const;
  // The same for one posting, by what EntriesInPlace gave.
  bool VerifyEntries(std::span<const uint16_t> entries) const;

 private:
  uint64_t GroupStart(uint32_t group) const { return group == 0 ? 0 : groups[group - 1]; }
  DocId SelectDoc(uint32_t i) const;
  // Entries [first, last) of `positions`. Requires that they are there, unverified_positions.
  absl::Status VerifyEntries(uint64_t first, uint64_t last) const;
  absl::Status PositionDamage(uint32_t i) const;
  uint32_t OverflowFreq(uint32_t i) const;
  uint32_t PositionEntries(uint32_t i) const;
};

// Which documents a list has, and nothing else of it: for the many lists of a prefix. Obtained from
// Segment::LocateDocuments, which has checked that what it points to lies inside its section; to be
// read behind Segment::VerifyDocuments.
struct DocumentsView {
  uint32_t df = 0;
  const DocId* docids = nullptr;      // df; nullptr: see bits
  const uint64_t* bits = nullptr;     // as in PostingListView
  std::span<const std::byte> mapped;  // the bytes of either; none for an inline list
};

}  // namespace pmdex
