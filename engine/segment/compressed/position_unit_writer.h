// Writes position entries as units of values to kPositionUnits, list after list, and says where the
// units are for kPositionUnitStarts, which stays in DRAM. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"

namespace pmdex {

class PositionUnitWriter {
 public:
  // most_entries: an upper bound, to reserve memory.
  PositionUnitWriter(SectionStream& units, uint64_t most_entries) : units_(units) {
    starts_.reserve(most_entries / kUnitPostings + 1);
  }

  // The number of entries that were appended.
  uint64_t entries() const { return first_entry_ + count_; }
  // Appends the entries of one posting.
  void Append(std::span<const uint16_t> entries) {
    if (entries.size() > entries_.size() - count_) MakeRoom(entries.size());
    uint16_t before = 0xffff;  // the first value is then the entry
    for (const uint16_t entry : entries) {
      entries_[count_] = entry;
      values_[count_++] = static_cast<uint16_t>(entry - before - 1);
      before = entry;
    }
  }
  // Writes what is left, and ends the section.
  void Finish();
  std::span<const uint32_t> starts() const { return starts_; }

 private:
  // Writes units, and keeps only the entries behind them.
  void MakeRoom(size_t wanted);
  void WriteUnit();

  SectionStream& units_;
  std::vector<uint32_t> starts_;
  // The entries that were not written yet and some before them, and what is stored for them. count_
  // of each are in use.
  std::vector<uint16_t> entries_ = std::vector<uint16_t>(1 << 15);
  std::vector<uint16_t> values_ = std::vector<uint16_t>(1 << 15);
  size_t count_ = 0;
  size_t written_ = 0;
  uint64_t first_entry_ = 0;  // the index of entries_[0]
  uint32_t unit_ = 0;
};

}  // namespace pmdex
