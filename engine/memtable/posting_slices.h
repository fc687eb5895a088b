// An append-only byte sequence made of slices that double in size, so that a term seen once costs
// eight bytes and a frequent one few links (Moffat and Mackenzie, "Immediate-access indexing using
// space-efficient extensible arrays", compare the growth rules). Values are VByte: seven bits a
// byte, low bits first, the high bit set on all but the last byte.
//
// Part of a memtable: not thread-safe; a chain dies with its arena.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/memtable/arena.h"
#include "pmem/check.h"
#include "pmem/prefetch.h"

namespace pmdex {

// A slice is its payload, then the handle of the next slice. Zeros: an empty chain.
struct SliceChain {
  Arena::Handle head = 0;
  Arena::Handle tail = 0;
  uint16_t used = 0;     // payload bytes of the tail slice that are written
  uint16_t payload = 0;  // payload bytes of the tail slice
};
static_assert(sizeof(SliceChain) == 12);

namespace slices_internal {
inline constexpr uint16_t kFirstSliceBytes = 8;
inline constexpr uint16_t kMaxSliceBytes = 4096;
inline constexpr uint16_t kLinkBytes = sizeof(Arena::Handle);

constexpr uint16_t NextPayload(uint16_t payload) {
  if (payload == 0) return kFirstSliceBytes - kLinkBytes;
  const int size = (payload + kLinkBytes) * 2;
  return static_cast<uint16_t>(std::min<int>(size, kMaxSliceBytes) - kLinkBytes);
}

// Adds an empty slice.
void Extend(Arena& arena, SliceChain& chain);
void AppendSlowly(Arena& arena, SliceChain& chain, uint32_t value);
}  // namespace slices_internal

// One byte or two, nearly all there are, without a branch that the value decides.
inline void AppendVByte(Arena& arena, SliceChain& chain, uint32_t value) {
  if (chain.payload - chain.used < 2 || value >= (1u << 14)) [[unlikely]] {
    slices_internal::AppendSlowly(arena, chain, value);
    return;
  }
  const uint32_t more = value >= 0x80 ? 1 : 0;
  const auto bytes = static_cast<uint16_t>((value & 0x7f) | more << 7 | value >> 7 << 8);
  std::memcpy(arena.At(chain.tail) + chain.used, &bytes, sizeof(bytes));
  chain.used = static_cast<uint16_t>(chain.used + 1 + more);
}

// Reads a chain from its front. The caller knows how many values there are: reading past them is a
// broken invariant.
class SliceReader {
 public:
  SliceReader() = default;
  SliceReader(const Arena& arena, const SliceChain& chain)
      : arena_(&arena), next_slice_(chain.head) {}

  // The running sums of the next `count` values.
  void ReadSums(uint32_t* out, uint32_t count) {
    const uint8_t* next = next_;  // copies that the stores to out cannot change
    const uint8_t* end = end_;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (next != end && *next < 0x80) {
        sum += *next++;
      } else {
        next_ = next;
        sum += ReadVByte();
        next = next_;
        end = end_;
      }
      out[i] = sum;
    }
    next_ = next;
  }

  uint32_t ReadVByte() {
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = ReadByte();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  uint8_t ReadByte() {
    if (next_ == end_) NextSlice();
    return *next_++;
  }
  void NextSlice() {
    PMDEX_DCHECK(next_slice_ != 0);
    payload_ = slices_internal::NextPayload(payload_);
    next_ = arena_->At(next_slice_);
    end_ = next_ + payload_;
    std::memcpy(&next_slice_, end_, sizeof(next_slice_));
    if (next_slice_ != 0) PrefetchLine(arena_->At(next_slice_));
  }

  const Arena* arena_ = nullptr;
  Arena::Handle next_slice_ = 0;
  uint16_t payload_ = 0;
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace pmdex
