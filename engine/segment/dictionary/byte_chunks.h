// A growing sequence of pieces of bytes in DRAM. The pieces lie in chunks of one size, so that they
// are never copied; no piece lies in two chunks. The segment writer keeps the bytes of terms here
// until it writes their section. Belongs to one thread.
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

  // Returns kMaxPieceBytes of writable memory for the next piece. Commit then ends the piece.
  std::byte* Room() {
    if (kChunkBytes - used_ < kMaxPieceBytes) AddChunk();
    return chunks_.back().get() + used_;
  }
  // Makes the first size_bytes of Room() the next piece and returns its place. Requires a call of
  // Room since the last Commit.
  uint64_t Commit(size_t size_bytes) {
    PMDEX_DCHECK(size_bytes <= kMaxPieceBytes);
    const uint64_t place = (chunks_.size() - 1) * kChunkBytes + used_;
    used_ += size_bytes;
    size_bytes_ += size_bytes;
    return place;
  }
  // The piece at a place that Commit returned.
  std::byte* At(uint64_t place) { return chunks_[place / kChunkBytes].get() + place % kChunkBytes; }
  const std::byte* At(uint64_t place) const { return const_cast<ByteChunks*>(this)->At(place); }

  // An upper bound of the memory of pieces that have size_bytes in all: these bytes, and those that
  // are free at the ends of full chunks. The free bytes of the last chunk are not counted.
  static constexpr uint64_t EstimateMemory(uint64_t size_bytes) {
    return size_bytes + size_bytes / (kChunkBytes / kMaxPieceBytes - 1);
  }

  uint64_t size_bytes() const { return size_bytes_; }
  // The pieces of chunk 0 in order, then those of chunk 1, and so on, are all pieces in order.
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
  std::vector<size_t> ends_;   // the used bytes of all chunks but the last
  size_t used_ = kChunkBytes;  // the used bytes of the last chunk
  uint64_t size_bytes_ = 0;
};

}  // namespace pmdex
