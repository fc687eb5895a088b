// Memory of one memtable. The arena hands it out front to back in chunks and gives it back only as
// a whole. Handles have 32 bits, half of a pointer, because a memtable holds many of them; they
// count units of eight bytes. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/memtable/chunk_pool.h"
#include "pmem/check.h"
#include "pmem/huge_buffer.h"

namespace pmdex {

class Arena {
 public:
  using Handle = uint32_t;  // never 0

  static constexpr size_t kUnitBytes = 8;
  static constexpr size_t kChunkBytes = ChunkPool::kChunkBytes;
  static constexpr size_t kMaxBytes = size_t{32} << 30;  // what handles can name

  // Takes its chunks from this group of the pool and returns them to it. nullptr: the system.
  explicit Arena(ChunkPool* pool = nullptr, size_t group = 0) : pool_(pool), group_(group) {
    AddChunk();
  }
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns contiguous uninitialised bytes, aligned to kUnitBytes. A block of 64 bytes lies in one
  // cache line if the sizes of all blocks before it were multiples of 64. Requires
  // 0 < size_bytes <= kChunkBytes and used_bytes() + kChunkBytes < kMaxBytes.
  Handle Allocate(size_t size_bytes) {
    const size_t units = (size_bytes + kUnitBytes - 1) / kUnitBytes;
    if (units > kUnitsPerChunk - next_unit_) StartChunk();
    const Handle handle = static_cast<Handle>((current_ << kChunkShift) + next_unit_);
    next_unit_ += units;
    return handle;
  }

  uint8_t* At(Handle handle) {
    return begins_[handle >> kChunkShift] + (handle & (kUnitsPerChunk - 1)) * kUnitBytes;
  }
  const uint8_t* At(Handle handle) const { return const_cast<Arena*>(this)->At(handle); }

  // Calls visit(handle) for every block, in the order of allocation. Requires that all blocks have
  // block_bytes bytes, a multiple of kUnitBytes.
  template <typename Visit>
  void ForEachBlock(size_t block_bytes, Visit visit) const {
    const size_t units = block_bytes / kUnitBytes;
    PMDEX_DCHECK(units > 0 && block_bytes % kUnitBytes == 0);
    for (size_t chunk = 0; chunk <= current_; ++chunk) {
      const size_t end = chunk == current_ ? next_unit_ : kUnitsPerChunk;
      for (size_t unit = chunk == 0 ? kFirstUnit : 0; unit + units <= end; unit += units) {
        visit(static_cast<Handle>((chunk << kChunkShift) + unit));
      }
    }
  }

  // Bytes handed out, including the unused ends of chunks.
  size_t used_bytes() const { return current_ * kChunkBytes + next_unit_ * kUnitBytes; }
  // Bytes taken from the system.
  size_t held_bytes() const { return chunks_.size() * kChunkBytes; }

 private:
  static constexpr size_t kUnitsPerChunk = kChunkBytes / kUnitBytes;
  static constexpr int kChunkShift = 18;
  static_assert(size_t{1} << kChunkShift == kUnitsPerChunk);
  static constexpr size_t kFirstUnit = 8;  // not 0, and at the beginning of a cache line

  void AddChunk();
  void StartChunk();

  ChunkPool* const pool_;
  const size_t group_;

  std::vector<HugeBuffer> chunks_;
  std::vector<uint8_t*> begins_;   // of the chunks
  size_t current_ = 0;             // index of the chunk that is being filled
  size_t next_unit_ = kFirstUnit;  // in the current chunk
};

}  // namespace pmdex
