// Byte sequences to which a memtable appends its postings. The first bytes of a sequence lie beside
// its owner, so a rare term touches nothing else. The bytes behind them lie in slices of an arena.
// Slices double in size up to a bound, so the sequence of a frequent term has few links (Moffat and
// Mackenzie, "Immediate-access indexing using space-efficient extensible arrays", compare the
// growth rules). Values are VByte numbers (posting_kernels.h).
//
// Part of a memtable: not thread-safe. A chain is valid as long as its arena, and must not move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/memtable/arena.h"
#include "pmem/check.h"
#include "pmem/prefetch.h"

namespace pmdex {

struct SliceChain {
  uint8_t* next = nullptr;  // where the next byte goes
  Arena::Handle head = 0;   // the first slice; 0 if there is none yet
  uint16_t left = 0;        // how many bytes may be written at `next`
  uint16_t payload = 0;     // the size of the last slice's payload; unspecified while head is 0
};
static_assert(sizeof(SliceChain) == 16);

// Appends to chains. A slice consists of its payload and the handle of the next slice.
class PostingSlices {
 public:
  static constexpr uint16_t kMaxSliceBytes = 4096;  // the largest first slice
  // Slices double up to this size. Many terms are appended to in turn, and small slices keep the
  // ends of their chains on few pages.
  static constexpr uint16_t kMaxGrownBytes = 512;
  static constexpr uint16_t kLinkBytes = sizeof(Arena::Handle);
  static constexpr uint16_t kDefaultFirstSliceBytes = 32;

  // Requires that first_slice_bytes is a power of two from 8 to kMaxSliceBytes.
  explicit PostingSlices(Arena& arena, uint16_t first_slice_bytes = kDefaultFirstSliceBytes)
      : arena_(arena), first_slice_bytes_(first_slice_bytes) {
    PMDEX_CHECK(first_slice_bytes >= 8 && first_slice_bytes <= kMaxSliceBytes &&
                (first_slice_bytes & (first_slice_bytes - 1)) == 0);
  }

  // Returns an empty chain with its first bytes at `first`, which outlives the chain. Requires
  // fewer than 64 KiB.
  static SliceChain Start(std::span<uint8_t> first) {
    return {first.data(), 0, static_cast<uint16_t>(first.size()), 0};
  }

  // Appends a value. Nearly all values take one or two bytes; these are written without a branch
  // that depends on the value.
  void Append(SliceChain& chain, uint32_t value) {
    if (chain.left < 2 || value >= kTwoBytes) [[unlikely]] {
      AppendSlowly(chain, value);
      return;
    }
    const uint32_t more = IsTwoBytes(value);
    const auto bytes = static_cast<uint16_t>(Encode(value, more));
    std::memcpy(chain.next, &bytes, sizeof(bytes));
    Advance(chain, 1 + more);
  }

  // Does the same as two calls of Append.
  void AppendPair(SliceChain& chain, uint32_t first, uint32_t second) {
    if (chain.left < 4 || (first | second) >= kTwoBytes) [[unlikely]] {
      AppendSlowly(chain, first);
      AppendSlowly(chain, second);
      return;
    }
    const uint32_t first_more = IsTwoBytes(first);
    const uint32_t second_more = IsTwoBytes(second);
    const uint32_t bytes = Encode(first, first_more) | Encode(second, second_more)
                                                           << (8 + 8 * first_more);
    std::memcpy(chain.next, &bytes, sizeof(bytes));
    Advance(chain, 2 + first_more + second_more);
  }

  const Arena& arena() const { return arena_; }
  uint16_t first_payload() const { return static_cast<uint16_t>(first_slice_bytes_ - kLinkBytes); }
  static uint16_t NextPayload(uint16_t payload) {
    const int size = (payload + kLinkBytes) * 2;
    return static_cast<uint16_t>(std::min<int>(size, kMaxGrownBytes) - kLinkBytes);
  }
  // Prefetches the beginning of a slice, and its link, which a reader reads first.
  void PrefetchSlice(Arena::Handle slice, uint16_t payload) const {
    PrefetchLine(arena_.At(slice));
    PrefetchLine(arena_.At(slice) + payload);
  }

 private:
  static constexpr uint32_t kTwoBytes = uint32_t{1} << 14;

  // 1 if the value takes two bytes, 0 if it takes one. Requires a value below kTwoBytes, as Encode
  // does.
  static uint32_t IsTwoBytes(uint32_t value) { return (value + (kTwoBytes - 0x80)) >> 14; }
  // Moves the upper seven bits up by one, to make room for the bit that says that they follow.
  static uint32_t Encode(uint32_t value, uint32_t is_two_bytes) {
    return value + (value & 0x3f80) + (is_two_bytes << 7);
  }
  static void Advance(SliceChain& chain, uint32_t bytes) {
    chain.next += bytes;
    chain.left = static_cast<uint16_t>(chain.left - bytes);
  }

  // Adds an empty slice. Requires chain.left == 0.
  void Extend(SliceChain& chain);
  void AppendSlowly(SliceChain& chain, uint32_t value);

  Arena& arena_;
  const uint16_t first_slice_bytes_;
};

// Reads the bytes of a chain from its beginning. The chain must not grow meanwhile.
class SliceReader {
 public:
  SliceReader() = default;
  // `first` is what the chain was started with.
  SliceReader(const PostingSlices& slices, const SliceChain& chain, std::span<const uint8_t> first)
      : slices_(&slices),
        next_slice_(chain.head),
        next_(first.data()),
        end_(chain.head == 0 ? chain.next : first.data() + first.size()),
        chain_end_(chain.next) {}

  // Copies the next bytes and returns how many; fewer than bytes.size() only at the end of the
  // chain.
  size_t Read(std::span<uint8_t> bytes);

 private:
  void NextSlice();

  const PostingSlices* slices_ = nullptr;
  Arena::Handle next_slice_ = 0;
  uint16_t payload_ = 0;
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  const uint8_t* chain_end_ = nullptr;
};

// Prefetches the slices of a chain ahead of its reader, one slice a step. A reader passes small
// slices faster than memory returns the handle of the next one, so callers make steps while they
// read other chains.
class SlicePrefetch {
 public:
  void Start(const PostingSlices& slices, const SliceChain& chain);
  void Step(const PostingSlices& slices);

 private:
  Arena::Handle slice_ = 0;  // 0 at the end
  uint16_t payload_ = 0;
};

}  // namespace pmdex
