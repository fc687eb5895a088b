// Tables of offsets of five bytes each (u40), which say where the parts of a section begin: blocks
// of ids and units of positions. The last offset is the size of the section. The functions are
// pure, and a builder belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/segment/format.h"

namespace pmdex {

class OffsetTableBuilder {
 public:
  void Reserve(uint64_t offsets) { bytes_.reserve(offsets * kTableOffsetBytes); }
  // Requires offset < kMaxTableOffset.
  void Add(uint64_t offset) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&offset);
    bytes_.insert(bytes_.end(), bytes, bytes + kTableOffsetBytes);
  }
  // The content of the section.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Offset `number` of a table, or of a part of one. Requires that it is there.
inline uint64_t TableOffset(std::span<const std::byte> table, uint64_t number) {
  uint64_t offset = 0;
  std::memcpy(&offset, table.data() + number * kTableOffsetBytes, kTableOffsetBytes);
  return offset;
}

}  // namespace pmdex
