// The lanes of one compressed list in memory of this process. A block is decoded when it is first
// asked for, so that a search pays for what it reads. The lanes have their final places from the
// start; what was not asked for is undefined.
//
// Decoding trusts no bytes: whatever they are, it writes inside the lanes, and where units are
// missing it writes zeros and reports damage. PostingListView refers to the object and shares it
// among its copies, which belong to one thread. The view must outlive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/codec/unit_kernels.h"
#include "engine/segment/compressed/lane_memory.h"
#include "engine/segment/compressed/position_units.h"
#include "engine/segment/compressed/unit_reader.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

// Where a compressed list is, and what its lanes need. The values were checked to be possible.
struct CompressedList {
  uint32_t df = 0;
  uint64_t units_offset = 0;                  // of the first unit, in kCompressedUnits
  std::span<const UnitPlace> places;          // of its blocks; empty for a list of one block
  std::span<const uint32_t> block_last_docs;  // of its blocks, too
  bool has_docids = false;                    // otherwise the list has bits
  bool has_positions = false;                 // they are wanted
  uint64_t position_start = 0;
  uint64_t position_entries = 0;  // of the list
  std::span<const OverflowEntry> overflow;
};

class DecodedList {
 public:
  DecodedList(const SegmentView& view, const CompressedList& list);

  // The lanes, as PostingListView has them. nullptr for those that the list does not have.
  const DocId* docids() const { return docids_; }
  const uint8_t* freqs() const { return freqs_; }
  const uint8_t* codes() const { return codes_; }
  const uint32_t* groups() const { return groups_; }
  std::span<const uint16_t> positions() const { return {positions_, list_.position_entries}; }

  // Decodes the blocks of the postings [begin, end), unless they were decoded before. Damage makes
  // them zeros and is reported to the view (SegmentView::ReportDamage). Requires begin < end <= df.
  void Load(uint32_t begin, uint32_t end) {
    const uint32_t last = (end - 1) / kBlockPostings;
    for (uint32_t block = begin / kBlockPostings; block <= last; ++block) {
      if (!IsLoaded(block)) block = LoadFrom(block, last);
    }
  }
  // The first damage that Load met.
  const absl::Status& status() const { return status_; }
  // Decodes the position entries [first, last), counted from the list's first one, which must be
  // all of one posting. Requires first <= last <= positions().size().
  absl::Status LoadPositions(uint64_t first, uint64_t last);
  // Decodes the position entries of some of the postings [begin, end), which Load has decoded.
  // first: where those of posting `begin` are, counted from the list's first one. wanted(at): a bit
  // for each of the 64 postings from begin + at on, which is set if its entries are wanted; those
  // of others are undefined. Returns kDataLoss if units are damaged, or if the list has fewer
  // entries.
  template <typename Wanted>
  absl::Status LoadRuns(uint32_t begin, uint32_t end, uint64_t first, const Wanted& wanted) {
    for (uint32_t at = 0; at < end - begin; at += 64) {
      const uint32_t count = std::min<uint32_t>(end - begin - at, 64);
      const uint64_t all = ~uint64_t{0} >> (64 - count);
      PMDEX_RETURN_IF_ERROR(LoadSome(begin + at, count, wanted(at) & all, first));
    }
    return absl::OkStatus();
  }

 private:
  uint32_t LoadFrom(uint32_t block, uint32_t last);
  uint32_t EndOf(uint32_t block) const {
    const uint64_t end = (uint64_t{block} + 1) * kBlockPostings;
    return static_cast<uint32_t>(std::min<uint64_t>(list_.df, end));
  }
  absl::Status DecodeBlock(uint32_t block);
  uint64_t CountEntries(uint32_t begin, uint32_t count, uint32_t* counts) const;
  absl::Status LoadSome(uint32_t begin, uint32_t count, uint64_t wanted, uint64_t& first);
  void FillGroups(uint32_t begin, uint32_t end, uint64_t entries);
  uint32_t EntriesOf(uint32_t posting) const;
  void Clear(uint32_t begin, uint32_t end);
  bool IsLoaded(uint32_t block) const { return (loaded_[block / 64] >> (block % 64) & 1) != 0; }

  const SegmentView* view_;
  const CompressedList list_;
  const UnitKernels* kernels_;
  LaneMemory lanes_;
  LaneMemory position_lane_;
  DocId* docids_ = nullptr;
  uint8_t* freqs_ = nullptr;
  uint8_t* codes_ = nullptr;
  uint32_t* groups_ = nullptr;
  std::vector<uint64_t> loaded_;  // a bit for each block
  uint16_t* positions_ = nullptr;
  UnitReader units_;
  PositionUnits position_units_;
  absl::Status status_;
};

}  // namespace pmdex
