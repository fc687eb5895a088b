// Chooses the number of bits with which the values of a unit are packed: the one that takes the
// fewest bytes when the values that need more bits become exceptions. Belongs to one thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/codec/bit_packer.h"
#include "engine/segment/format.h"

namespace pmdex {

struct WidthChoice {
  uint32_t width = 0;
  uint32_t exceptions = 0;
  size_t bytes = 0;  // of the packed values and the exceptions
};

// The number of values of each number of bits.
class WidthCounts {
 public:
  void Add(uint32_t value) {
    ++of_[static_cast<size_t>(std::bit_width(value))];
    all_ |= value;
    ++count_;
  }
  // exception_bytes: what an exception takes. Of values with more bits than `most`, only as many
  // may be there as may be exceptions, unless the values may have 32 bits, too.
  WidthChoice Best(uint32_t most, size_t exception_bytes, bool may_be_32) const {
    WidthChoice best;
    best.width = 32;
    best.bytes = may_be_32 ? PackedBytes(count_, 32) : SIZE_MAX;
    uint32_t exceptions = 0;
    // More bits than the widest value has are never better.
    for (auto width = static_cast<uint32_t>(std::bit_width(all_)); exceptions <= kMaxUnitExceptions;
         --width) {
      if (width <= most) {
        const size_t bytes = PackedBytes(count_, width) + exceptions * exception_bytes;
        if (bytes <= best.bytes) best = {width, exceptions, bytes};
      }
      exceptions += of_[width];
      if (width == 0) break;
    }
    return best;
  }

 private:
  std::array<uint16_t, 33> of_{};
  uint32_t all_ = 0;  // the bits of all values
  size_t count_ = 0;
};

}  // namespace pmdex
