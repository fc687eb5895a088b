// Packs values of a fixed number of bits one behind the other, the low bits of each first, as units
// hold them (UnitHeader in format.h). Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pmdex {

// The bytes that n packed values take.
constexpr size_t PackedBytes(size_t n, uint32_t width) {
  return (n * width + 7) / 8;
}

class BitPacker {
 public:
  // Writes from `out` on, and needs room for the bytes of all values.
  explicit BitPacker(std::byte* out) : out_(out) {}

  // Requires value < 2^width and width <= 32.
  void Add(uint32_t value, uint32_t width) {
    bits_ |= uint64_t{value} << held_;
    held_ += width;
    for (; held_ >= 8; held_ -= 8, bits_ >>= 8) *out_++ = static_cast<std::byte>(bits_);
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
  uint32_t held_ = 0;
};

}  // namespace pmdex
