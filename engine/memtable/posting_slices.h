// Append-only byte sequences for the postings of a memtable: the first bytes stand beside the
// chain's owner, so that a rare term touches nothing else; what follows lies in slices of an arena
// that double up to a bound, so that a frequent one has few links (Moffat and Mackenzie,
// "Immediate-access indexing using space-efficient extensible arrays", compare the growth rules).
// Values are VByte (posting_kernels.h).
//
// Part of a memtable: not thread-safe; a chain dies with its arena and stays where it is.
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
  Arena::Handle head = 0;   // of the first slice; 0: all is in the first bytes
  uint16_t left = 0;        // bytes that may be written at next
  uint16_t payload = 0;     // of the slice that is being written; unspecified while head is 0
};
static_assert(sizeof(SliceChain) == 16);

// Where chains grow. A slice is its payload, then the handle of the next slice.
class PostingSlices {
 public:
  static constexpr uint16_t kMaxSliceBytes = 4096;  // of a first one
  // Slices double up to this. The ends that many terms append to in turn lie as close together as
  // the slices they are in are small, and need the fewer pages.
  static constexpr uint16_t kMaxGrownBytes = 512;
  static constexpr uint16_t kLinkBytes = sizeof(Arena::Handle);
  static constexpr uint16_t kDefaultFirstSliceBytes = 32;

  // Requires a first slice of 8 to kMaxSliceBytes bytes, a power of two.
  explicit PostingSlices(Arena& arena, uint16_t first_slice_bytes = kDefaultFirstSliceBytes)
      : arena_(arena), first_slice_bytes_(first_slice_bytes) {
    PMDEX_CHECK(first_slice_bytes >= 8 && first_slice_bytes <= kMaxSliceBytes &&
                (first_slice_bytes & (first_slice_bytes - 1)) == 0);
  }

  // An empty chain, its first bytes at `first`: fewer than 64 KiB, and they outlive the chain.
  static SliceChain Start(std::span<uint8_t> first) {
    return {first.data(), 0, static_cast<uint16_t>(first.size()), 0};
  }

  // One byte or two, nearly all there are, without a branch that the value decides.
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

  // The same as one Append after the other.
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
  // Its begin, and its link: that is read as soon as a reader comes to the slice.
  void PrefetchSlice(Arena::Handle slice, uint16_t payload) const {
    PrefetchLine(arena_.At(slice));
    PrefetchLine(arena_.At(slice) + payload);
  }

 private:
  static constexpr uint32_t kTwoBytes = uint32_t{1} << 14;

  // 1 for two, 0 for one. Requires a value below kTwoBytes, as Encode does.
  static uint32_t IsTwoBytes(uint32_t value) { return (value + (kTwoBytes - 0x80)) >> 14; }
  // The upper seven bits move up by one, to make room for the bit that says that they are there.
  static uint32_t Encode(uint32_t value, uint32_t is_two_bytes) {
    return value + (value & 0x3f80) + (is_two_bytes << 7);
  }
  static void Advance(SliceChain& chain, uint32_t bytes) {
    chain.next += bytes;
    chain.left = static_cast<uint16_t>(chain.left - bytes);
  }

  // Adds an empty slice. Requires that nothing is left.
  void Extend(SliceChain& chain);
  void AppendSlowly(SliceChain& chain, uint32_t value);

  Arena& arena_;
  const uint16_t first_slice_bytes_;
};

// Reads the bytes of a chain from its front. The chain does not grow meanwhile.
class SliceReader {
 public:
  SliceReader() = default;
  // first: what the chain was started with.
  SliceReader(const PostingSlices& slices, const SliceChain& chain, std::span<const uint8_t> first)
      : slices_(&slices),
        next_slice_(chain.head),
        next_(first.data()),
        end_(chain.head == 0 ? chain.next : first.data() + first.size()),
        chain_end_(chain.next) {}

  // Copies what comes next; returns how many bytes: fewer than asked for at the end of the chain.
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

// Goes along a chain ahead of its reader, a slice a step, and prefetches. Small slices are read
// faster than the place of the next one is known: steps are made while other chains are read.
class SlicePrefetch {
 public:
  void Start(const PostingSlices& slices, const SliceChain& chain);
  void Step(const PostingSlices& slices);

 private:
  Arena::Handle slice_ = 0;  // 0: at the end
  uint16_t payload_ = 0;
};

}  // namespace pmdex
