// Writes position entries as units of values to kPositionUnits, list after list, and says where the
// units are for kPositionUnitStarts, which stays in DRAM. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/segment/file/offset_table.h"
#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"

namespace pmdex {

class PositionUnitWriter {
 public:
  // most_entries: an upper bound, to reserve memory.
  PositionUnitWriter(SectionStream& units, uint64_t most_entries) : units_(units) {
    starts_.Reserve(most_entries / kUnitValues + 2);
  }

  // The number of entries that were appended.
  uint64_t entries() const { return entries_; }
  // Appends the entries of one posting.
  void Append(std::span<const uint16_t> entries) {
    entries_ += entries.size();
    uint16_t before = 0xffff;  // the first value is then the entry
    for (const uint16_t entry : entries) {
      values_[count_++] = static_cast<uint16_t>(entry - before - 1);
      before = entry;
      if (count_ == kUnitValues) WriteUnit();
    }
  }
  // Writes what is left, and ends the section.
  void Finish();
  // The content of kPositionUnitStarts, after Finish.
  std::span<const std::byte> starts() const { return starts_.bytes(); }

 private:
  void WriteUnit();

  SectionStream& units_;
  OffsetTableBuilder starts_;
  std::array<uint16_t, kUnitValues> values_;  // of the next unit
  size_t count_ = 0;                          // of them
  uint64_t entries_ = 0;
};

}  // namespace pmdex
