// Reads position entries from kPositionUnits (unit_format.h). Keeps the unit that it has unpacked
// last, so that runs which follow one another cost little. Trusts no bytes. Belongs to one thread;
// the view must outlive it.
#pragma once

#include <array>
#include <cstdint>

#include "engine/codec/unit_kernels.h"
#include "engine/segment/compressed/unit_reader.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class PositionUnits {
 public:
  explicit PositionUnits(const SegmentView& view)
      : view_(&view), kernels_(&BestUnitKernels()), units_(view, SectionKind::kPositionUnits) {}

  // An upper bound of the entries of all lists.
  static uint64_t MostEntries(const SegmentView& view);

  // Writes the entries [first, last), which must be all of one posting, to `out`. first: as
  // position_start counts entries. Returns kDataLoss if units are damaged or end before.
  absl::Status ReadRun(uint64_t first, uint64_t last, uint16_t* out);
  // The same for postings that follow one another. counts: how many entries each of them has.
  template <typename Counts>
  absl::Status ReadRuns(uint64_t first, const Counts& counts, uint16_t* out) {
    for (const uint32_t count : counts) {
      PMDEX_RETURN_IF_ERROR(ReadRun(first, first + count, out));
      first += count;
      out += count;
    }
    return absl::OkStatus();
  }

 private:
  // Unpacks the unit that has the entry. Requires that it is another one.
  absl::Status Seek(uint64_t entry);
  // Unpacks a unit. Returns the index of its first entry modulo 2^32.
  absl::StatusOr<uint32_t> Unpack(uint64_t unit);

  const SegmentView* view_;
  const UnitKernels* kernels_;
  UnitReader units_;
  uint64_t unit_ = 0;   // that is unpacked
  uint64_t begin_ = 0;  // the index of its first entry
  uint32_t count_ = 0;  // 0 if no unit is unpacked
  std::array<uint16_t, kUnitPostings> values_;
};

}  // namespace pmdex
