// Packs values of a fixed number of bits one behind the other, the low bits of each first, as units
// hold them (UnitHeader in unit_format.h). Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/segment/format.h"

namespace pmdex {

// The bytes that n packed values take.
constexpr size_t PackedBytes(size_t n, uint32_t width) {
  return (n * width + 7) / 8;
}

class BitPacker {
 public:
  // So many bytes behind the packed ones are overwritten, because stores have a fixed size.
  static constexpr size_t kSlack = 8;

  // Writes from `out` on, and needs room for the bytes of all values and kSlack more.
  explicit BitPacker(std::byte* out) : out_(out) {}

  // Requires value < 2^width and width <= kMostBits.
  static constexpr uint32_t kMostBits = 56;
  void Add(uint64_t value, uint32_t width) {
    bits_ |= value << held_;
    held_ += width;
    std::memcpy(out_, &bits_, sizeof(bits_));
    out_ += held_ / 8;
    bits_ >>= held_ & ~7u;
    held_ &= 7;
  }
  // Fills the last byte with zeros. Returns the place behind it, where new values may follow.
  std::byte* Finish() {
    if (held_ > 0) *out_++ = static_cast<std::byte>(bits_);
    bits_ = 0;
    held_ = 0;
    return out_;
  }

 private:
  std::byte* out_;
  uint64_t bits_ = 0;
  uint32_t held_ = 0;  // less than 8
};

// Packs the values, several of them at once where they are narrow. Returns the place behind them.
// Requires values < 2^width and width <= 32.
template <typename T>
std::byte* PackAll(std::span<const T> values, uint32_t width, std::byte* out) {
  BitPacker packer(out);
  size_t i = 0;
  if (width <= BitPacker::kMostBits / 4) {
    for (; i + 4 <= values.size(); i += 4) {
      const uint64_t low = values[i] | uint64_t{values[i + 1]} << width;
      const uint64_t high = values[i + 2] | uint64_t{values[i + 3]} << width;
      packer.Add(low | high << (2 * width), 4 * width);
    }
  }
  for (; i < values.size(); ++i) packer.Add(values[i], width);
  return packer.Finish();
}

// The values of a lane that do not fit into its width.
template <typename E>
struct UnitExceptions {
  uint32_t count = 0;
  uint8_t places[kMaxUnitExceptions] = {};
  E values[kMaxUnitExceptions] = {};

  // Writes the places, then the values. Returns the place behind them.
  std::byte* Write(std::byte* out) const {
    std::memcpy(out, places, count);
    std::memcpy(out + count, values, count * sizeof(E));
    return out + count * (1 + sizeof(E));
  }
};

// Packs the values; those of more than `width` bits become exceptions. Returns the place behind the
// packed values. Requires at most kMaxUnitExceptions of them.
template <typename E, typename T>
std::byte* PackValues(std::span<const T> values, uint32_t width, std::byte* out,
                      UnitExceptions<E>& exceptions) {
  BitPacker packer(out);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t value = values[i];
    const bool fits = uint64_t{value} >> width == 0;
    packer.Add(fits ? value : 0, width);
    if (fits) [[likely]]
      continue;
    exceptions.places[exceptions.count] = static_cast<uint8_t>(i);
    exceptions.values[exceptions.count++] = static_cast<E>(value);
  }
  return packer.Finish();
}

}  // namespace pmdex
