// A view of one posting list in a mapped segment. Segment::Postings returns it after it has checked
// that every lane lies inside its section, and has verified the pages of the lanes. The pages of
// the positions are verified when they are read. The values in the lanes are not checked, so
// readers must stay in bounds whatever the values are. A view is valid as long as the Segment.
// Immutable; thread-safe, but a view of a compressed list and its copies belong to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class DecodedList;
class SegmentView;

enum class ListParts {
  kScores,  // all but positions
  kAll,     // positions, too, if the segment has them
};

// When the postings of a compressed list are decoded.
enum class ListLoading {
  kWhole,    // before the view is returned
  kByBlock,  // when the reader calls Load for them, if the list has blocks
};

struct PostingListView {
  uint32_t df = 0;
  uint64_t cf = 0;
  // df ascending docids, or nullptr if the list has bits. Unless the list is inline, vector loads
  // of 64 bytes may read behind the last docid.
  const DocId* docids = nullptr;
  // Bit d % 64 of word d / 64 is set if document d has the term; nullptr if the list has docids.
  // There are whole runs of 512 bits, with zeros behind the last document.
  const uint64_t* bits = nullptr;
  // With bits: ranks[i] is the number of bits that are set before bit 512 * i. There is one rank
  // for each run, and df at the end.
  const uint32_t* ranks = nullptr;
  uint32_t doc_count = 0;            // of the segment
  const uint8_t* freqs = nullptr;    // df frequencies; call Freq where one is kFreqEscape
  const uint8_t* codes = nullptr;    // df length codes (norms.h)
  const uint32_t* groups = nullptr;  // with ListParts::kAll: see PostingExtent
  // The position entries from the first one of the list to the end of the section. In a compressed
  // list those of the list; entries are undefined before VerifyPositions or VerifyEntries.
  std::span<const uint16_t> positions;
  const SegmentView* unverified_positions = nullptr;  // nullptr if their pages are verified
  uint64_t position_start = 0;                        // the index of positions[0] in its section
  std::span<const OverflowEntry> overflow;            // sorted by posting
  std::span<const uint32_t> block_last_docs;          // empty for a list of one block
  std::span<const BoundPoints> block_bounds;          // the same
  BoundPoints bounds{};                               // of the whole list
  BestPoints best{};                                  // zeros for a list of one block
  bool is_inline = false;
  // Of its extent, which names the list in its segment. UINT64_MAX if it is inline or not of a
  // file.
  uint64_t postings_offset = UINT64_MAX;
  std::shared_ptr<DecodedList> decoded;                // holds the lanes of a compressed list
  std::shared_ptr<const uint16_t[]> inline_positions;  // holds `positions` of a decoded inline list

  // Makes the postings [begin, end) readable: docids, freqs, codes and groups of a list that was
  // opened with ListLoading::kByBlock are undefined before. Costs a comparison for other lists. If
  // the bytes are damaged, the postings are zeros and the segment is quarantined. Requires end <=
  // df.
  void Load(uint32_t begin, uint32_t end) const {
    if (decoded != nullptr && begin < end) LoadUnits(begin, end);
  }

  // The document of posting i. With bits it searches the ranks and then one run. In a damaged list
  // the result may be doc_count or more. Requires i < df.
  DocId Doc(uint32_t i) const {
    if (docids == nullptr) return SelectDoc(i);
    Load(i, i + 1);
    return docids[i];
  }
  // The index of the posting of `doc`, or nullopt. A binary search, or with bits a Rank.
  std::optional<uint32_t> PostingOf(DocId doc) const;
  // The number of documents of the list before `doc`. This is the index of doc's posting if the
  // list has doc. Reads a rank and at most eight words. In a damaged list the result may be df or
  // more. Requires bits and doc < doc_count.
  uint32_t Rank(DocId doc) const;
  // The first document >= from whose bit is set, or 0xffffffff. In a damaged list the result may be
  // doc_count or more. Reads a word for each 64 documents that it passes. Requires bits.
  DocId FirstFrom(DocId from) const;

  // The frequency of posting i. Requires i < df.
  uint32_t Freq(uint32_t i) const {
    Load(i, i + 1);
    return freqs[i] != kFreqEscape ? freqs[i] : OverflowFreq(i);
  }
  // Replaces `out` by the Freq(i) ascending positions of posting i, or by nothing if the list has
  // no positions. Returns kDataLoss if the bytes are damaged. Requires i < df.
  absl::Status ReadPositions(uint32_t i, std::vector<uint32_t>& out) const;
  // A view of the same positions in the file, if posting i has no page marks. Empty otherwise, for
  // inline lists, and if the bytes are damaged; call ReadPositions then. Requires i < df.
  std::span<const uint16_t> PositionsInPlace(uint32_t i) const {
    return VerifyPositions(i, i + 1) ? EntriesInPlace(i) : std::span<const uint16_t>();
  }
  // For callers that need the positions of many of the postings [begin, end). True if the pages
  // with their positions are sound. EntriesInPlace(i) is then the same as PositionsInPlace(i).
  // Requires begin < end <= df.
  bool VerifyPositions(uint32_t begin, uint32_t end) const;
  // The same if only some of these postings are needed. first: the posting of the first bit of
  // `needed`; at most `begin`.
  bool VerifyPositions(uint32_t begin, uint32_t end, uint32_t first,
                       std::span<const uint64_t> needed) const;
  std::span<const uint16_t> EntriesInPlace(uint32_t i) const;
  // The same for one posting. entries: the result of EntriesInPlace.
  bool VerifyEntries(std::span<const uint16_t> entries) const;

 private:
  uint64_t GroupStart(uint32_t group) const { return group == 0 ? 0 : groups[group - 1]; }
  void LoadUnits(uint32_t begin, uint32_t end) const;
  uint64_t EntriesBefore(uint32_t i) const;
  absl::Status VerifyRun(uint64_t first, uint64_t last) const;
  DocId SelectDoc(uint32_t i) const;
  // Verifies the pages of positions[first, last). Requires last <= positions.size() and
  // unverified_positions.
  absl::Status VerifyEntries(uint64_t first, uint64_t last) const;
  absl::Status PositionDamage(uint32_t i) const;
  uint32_t OverflowFreq(uint32_t i) const;
  uint32_t PositionEntries(uint32_t i) const;
};

// The documents of a list, for the many lists of a prefix. Segment::LocateDocuments returns it
// after it has checked that the documents lie inside their section. Call Segment::VerifyDocuments
// before reading them.
struct DocumentsView {
  uint32_t df = 0;
  const DocId* docids = nullptr;   // as in PostingListView
  const uint64_t* bits = nullptr;  // as in PostingListView
  // The bytes of docids or bits; empty for an inline list. With is_compressed about as many bytes
  // as the units take, and docids is nullptr: UnitDocuments reads them.
  std::span<const std::byte> mapped;
  bool is_compressed = false;
};

}  // namespace pmdex
