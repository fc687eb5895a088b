// Bytes in DRAM that grow without being copied: pieces lie in chunks of one size, none across two.
// For what a segment writer keeps of each term until its section's turn comes. Belongs to one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pmem/check.h"

namespace pmdex {

class ByteChunks {
 public:
  static constexpr size_t kChunkBytes = size_t{256} << 10;
  static constexpr size_t kMaxPieceBytes = 1024;

  // Where the next piece goes: kMaxPieceBytes may be written, and Commit says how many count.
  std::byte* Room() {
    if (kChunkBytes - used_ < kMaxPieceBytes) AddChunk();
    return chunks_.back().get() + used_;
  }
  // Requires a Room since the last Commit. Returns the piece's place.
  uint64_t Commit(size_t size_bytes) {
    PMDEX_DCHECK(size_bytes <= kMaxPieceBytes);
    const uint64_t place = (chunks_.size() - 1) * kChunkBytes + used_;
    used_ += size_bytes;
    size_bytes_ += size_bytes;
    return place;
  }
  std::byte* At(uint64_t place) { return chunks_[place / kChunkBytes].get() + place % kChunkBytes; }
  const std::byte* At(uint64_t place) const { return const_cast<ByteChunks*>(this)->At(place); }

  // The most bytes that pieces of size_bytes in all take: they, and what is left free at the ends
  // of full chunks. The last chunk is not counted.
  static constexpr uint64_t EstimateMemory(uint64_t size_bytes) {
    return size_bytes + size_bytes / (kChunkBytes / kMaxPieceBytes - 1);
  }

  uint64_t size_bytes() const { return size_bytes_; }
  // All pieces in order are those of chunk 0, then of chunk 1, ...
  size_t chunk_count() const { return chunks_.size(); }
  std::span<std::byte> chunk(size_t index) {
    const bool last = index + 1 == chunks_.size();
    return {chunks_[index].get(), last ? used_ : ends_[index]};
  }

 private:
  void AddChunk() {
    if (!chunks_.empty()) ends_.push_back(used_);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunkBytes));
    used_ = 0;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<size_t> ends_;   // of all chunks but the last
  size_t used_ = kChunkBytes;  // of the last chunk
  uint64_t size_bytes_ = 0;
};

}  // namespace pmdex
