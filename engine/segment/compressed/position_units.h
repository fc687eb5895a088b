// Reads position entries from kPositionUnits (unit_format.h). Keeps the unit that it has decoded
// last, so that runs which follow one another cost little. Trusts no bytes. Belongs to one
// thread; the view must outlive it.
#pragma once

#include <cstdint>

#include "engine/codec/value_unit.h"
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
    uint64_t last = first;
    for (const uint32_t count : counts) last += count;
    PMDEX_RETURN_IF_ERROR(CopyValues(first, last, out));
    for (const uint32_t count : counts) {
      AddUp(count, out);
      out += count;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr uint64_t kNoUnit = ~uint64_t{0};

  // Replaces the values of a posting by its entries. The first value is the entry itself.
  static void AddUp(uint64_t count, uint16_t* values) {
    for (uint64_t i = 1; i < count; ++i) {
      values[i] = static_cast<uint16_t>(values[i - 1] + values[i] + 1);
    }
  }
  template <typename F>
  absl::Status ForEachUnit(uint64_t first, uint64_t last, F visit);
  // Copies the values [first, last) of units to `out`.
  absl::Status CopyValues(uint64_t first, uint64_t last, uint16_t* out);
  // Decodes the values of a unit before `end`, and those behind them if they are likely to be read.
  absl::Status Decode(uint64_t unit, uint32_t end);

  const SegmentView* view_;
  const UnitKernels* kernels_;
  UnitReader units_;
  uint64_t unit_ = kNoUnit;  // that is decoded
  uint32_t decoded_ = 0;     // so many of its values
  UnitValueArray values_;
};

}  // namespace pmdex
