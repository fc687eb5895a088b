#include "engine/memtable/chunk_pool.h"

#include <new>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

HugeBuffer ChunkPool::Take(size_t lane) {
  {
    MutexLock lock(&mutex_);
    if (lane < lanes_.size() && !lanes_[lane].empty()) {
      HugeBuffer chunk = std::move(lanes_[lane].back());
      lanes_[lane].pop_back();
      --held_;
      return chunk;
    }
  }
  return HugeBuffer(kChunkBytes);
}

void ChunkPool::Return(size_t lane, HugeBuffer chunk) {
  PMDEX_CHECK(chunk.size_bytes() == kChunkBytes);
  MutexLock lock(&mutex_);
  try {
    if (lane >= lanes_.size()) lanes_.resize(lane + 1);
    lanes_[lane].push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return;  // no memory to keep it: the system has it back
  }
  ++held_;
}

void ChunkPool::TrimTo(size_t size_bytes) {
  std::vector<HugeBuffer> given_back;  // outside of the lock
  MutexLock lock(&mutex_);
  for (std::vector<HugeBuffer>& lane : lanes_) {
    while (held_ * kChunkBytes > size_bytes && !lane.empty()) {
      given_back.push_back(std::move(lane.back()));
      lane.pop_back();
      --held_;
    }
  }
}

size_t ChunkPool::held_bytes() const {
  MutexLock lock(&mutex_);
  return held_ * kChunkBytes;
}

}  // namespace pmdex
