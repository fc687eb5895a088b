// Reads the posting list of a compressed entry: the part of posting_list_reader.h in which
// compressed lists differ from others. Thread-safe: no state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/codec/unit_kernels.h"
#include "engine/segment/compressed/unit_reader.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"

namespace pmdex {

// Fills in the lanes of the list, decoded as `loading` says. Requires df, cf, doc_count, the blocks
// and the overflow run, which the caller has read. Returns kDataLoss if the entry points outside of
// its sections or to damaged units.
absl::Status ViewCompressed(const SegmentView& view, const DictionaryEntry& entry,
                            Representation representation, ListParts parts, ListLoading loading,
                            PostingListView& list);

// Append what will be read past the page cache of a list that is not long, or of its positions, for
// callers that read several lists (BlockCache::Fetch). Nothing if units are read from the mapping.
void AppendUnitRanges(const SegmentView& view, const DictionaryEntry& entry,
                      std::vector<BlockCache::Range>& ranges);
void AppendPositionRanges(const SegmentView& view, const DictionaryEntry& entry,
                          std::vector<BlockCache::Range>& ranges);

// The entries [position_start, position_start + count of all) of an inline list, decoded. freqs: of
// its postings.
absl::StatusOr<std::shared_ptr<const uint16_t[]>> DecodePositions(const SegmentView& view,
                                                                  uint64_t position_start,
                                                                  std::span<const uint8_t> freqs);

// The number of all entries of the list's positions: one for each token, and the page marks.
uint64_t PositionEntriesOf(const PostingListView& list);

// The size of the bits and ranks at the front of an extent.
constexpr uint64_t CompressedBitsBytes(uint32_t doc_count) {
  return BitsetWords(doc_count) * sizeof(uint64_t) + (BitsetRuns(doc_count) + 1) * sizeof(uint32_t);
}
// About as many bytes as the units of a list of df postings take.
constexpr uint64_t UsualUnitBytes(uint32_t df) {
  return sizeof(UnitHeader) + uint64_t{df} * 5 / 2;
}

// Reads the docids of a compressed list that has docids unit by unit, without its entry.
class UnitDocuments {
 public:
  // offset: of the list's extent.
  UnitDocuments(const SegmentView& view, uint64_t offset, uint32_t df)
      : units_(view, SectionKind::kCompressedUnits),
        kernels_(&BestUnitKernels()),
        offset_(offset),
        df_(df) {
    units_.Expect(offset + UsualUnitBytes(df));
  }

  // The next docids; empty behind the last one. Valid until the next call. Returns kDataLoss if a
  // unit is damaged.
  absl::StatusOr<std::span<const DocId>> Next();

 private:
  UnitReader units_;
  const UnitKernels* kernels_;
  uint64_t offset_;
  uint32_t df_;
  uint32_t read_ = 0;
  DocId before_ = 0xffffffff;  // the last docid that was read
  std::array<DocId, kUnitPostings> docids_;
};

}  // namespace pmdex
