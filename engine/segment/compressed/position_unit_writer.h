// Writes position entries as units of values to kPositionUnits, list after list, and says where the
// units are for kPositionUnitStarts, which stays in DRAM. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  // Appends the entries of postings. counts: how many of the entries each posting has, in order.
  // Requires that the counts add up to the number of entries.
  void Append(std::span<const uint16_t> entries, std::span<const uint32_t> counts);
  // Writes what is left, and ends the section.
  void Finish();
  // The content of kPositionUnitStarts, after Finish.
  std::span<const std::byte> starts() const { return starts_.bytes(); }

 private:
  void WriteUnit(std::span<const uint16_t> values);

  SectionStream& units_;
  OffsetTableBuilder starts_;
  std::vector<uint16_t> values_;  // those that are not in a unit yet
  uint64_t entries_ = 0;
};

}  // namespace pmdex
