// Reads the units of one section of a compressed segment: from the mapping, or past the page cache
// (uncached_units.h) if the segment was opened so. DecodedList, PositionUnits and UnitDocuments
// read all their units through it. Belongs to one thread; the view must outlive it.
//
// Past the page cache the checksums of pages do not help, because a page would have to be read
// whole and kept. The check that each unit has takes their place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/unit_check.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/block_io/block_cache.h"
#include "pmem/status.h"

namespace pmdex {

class UnitReader {
 public:
  // kind: kCompressedUnits or kPositionUnits.
  UnitReader(const SegmentView& view, SectionKind kind);

  // Says that the units before the offset `end` will be read, in order: they are read from the
  // medium together. Any value is allowed.
  void Expect(uint64_t end) { expected_end_ = end; }
  // The bytes from `offset` on: most_bytes, which a unit has at most, or fewer at the end of the
  // section. Another kUnitTailBytes behind them may be read. Valid until the next call. Returns
  // kDataLoss if no unit can begin there, a page is damaged, or the medium failed. Requires
  // most_bytes <= kMostUnitBytes.
  absl::StatusOr<std::span<const std::byte>> Read(uint64_t offset, uint64_t most_bytes) {
    if (offset >= units_end_) return WrongUnit(offset);
    const uint64_t size_bytes = std::min<uint64_t>(most_bytes, units_end_ - offset);
    if (view_->uncached_units() != nullptr) return ReadUncached(offset, size_bytes);
    return view_->Slice(kind_, offset, size_bytes);
  }
  // True if a unit that Read has returned is sound. unit: all its bytes. Computes something only
  // where nothing else has verified them.
  bool IsSound(std::span<const std::byte> unit, uint64_t offset) const {
    return view_->uncached_units() == nullptr || HasRightCheck(unit, offset);
  }
  // The error for bytes that are not the unit that should be at `offset`.
  absl::Status WrongUnit(uint64_t offset) const;

 private:
  absl::StatusOr<std::span<const std::byte>> ReadUncached(uint64_t offset, uint64_t size_bytes);
  absl::Status Pin(uint64_t offset, uint64_t size_bytes);

  const SegmentView* view_;
  SectionKind kind_;
  uint64_t units_end_;
  uint64_t expected_end_ = 0;
  BlockCache::Pin pin_;
  uint64_t pinned_begin_ = 0;  // of the section; nothing is pinned if both are equal
  uint64_t pinned_end_ = 0;
  std::array<std::byte, kMostUnitBytes + kUnitTailBytes> unit_;  // a copy, if it is read uncached
};

}  // namespace pmdex
