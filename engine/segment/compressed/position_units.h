// Reads position entries from kPositionUnits (unit_format.h). Keeps the unit that it has decoded
// last, so that runs which follow one another cost little. Trusts no bytes. Belongs to one
// thread; the view must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  // The same for postings that follow one another, of which only some are wanted. counts: how many
  // entries each of them has. wanted: a bit for each of at most 64 postings, no others. `out` has
  // the entries of all of them; those of other postings are undefined.
  absl::Status ReadRuns(uint64_t first, std::span<const uint32_t> counts, uint64_t wanted,
                        uint16_t* out);

 private:
  static constexpr uint64_t kNoUnit = ~uint64_t{0};

  static constexpr uint64_t kAtOnce = 8;  // entries that CopyRun copies

  template <typename F>
  absl::Status ForEachUnit(uint64_t first, uint64_t last, F visit);
  // The entries of postings that have one each: the first value of a posting is its first entry.
  absl::Status CopyValues(uint64_t first, uint64_t last, uint16_t* out);
  // Adds up the values [first, last) of units, without regard to where postings begin, to sums_.
  absl::Status AddUpAll(uint64_t first, uint64_t last);
  // Sets the entries [begin, begin + count) of `out`, those of one posting, from the sums: what was
  // added up before the posting is taken off. Most postings have few entries, so that a fixed
  // number of them is copied at once. Those that follow are written by the next call. end: of out.
  void CopyRun(uint64_t begin, uint64_t count, uint64_t end, uint16_t* out) const {
    const uint16_t* const sums = sums_.data() + 1;
    const auto before = static_cast<uint16_t>(sums_[begin] + 1);
    uint64_t i = 0;
    for (; i < count && begin + i + kAtOnce <= end; i += kAtOnce) {
      for (uint64_t j = begin + i; j < begin + i + kAtOnce; ++j) {
        out[j] = static_cast<uint16_t>(sums[j] - before);
      }
    }
    for (; i < count; ++i) out[begin + i] = static_cast<uint16_t>(sums[begin + i] - before);
  }
  // Decodes the values of a unit before `end`, and those behind them if they are likely to be read.
  absl::Status Decode(uint64_t unit, uint32_t end);

  const SegmentView* view_;
  const UnitKernels* kernels_;
  UnitReader units_;
  uint64_t unit_ = kNoUnit;  // that is decoded
  uint32_t decoded_ = 0;     // so many of its values
  UnitValueArray values_;
  std::vector<uint16_t> sums_;  // element i + 1: of the values up to i; element 0: before them
};

}  // namespace pmdex
