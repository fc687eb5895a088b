#include "engine/memtable/chunk_pool.h"

#include <new>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

HugeBuffer ChunkPool::Take(size_t group) {
  {
    MutexLock lock(&mutex_);
    if (group < groups_.size() && !groups_[group].empty()) {
      HugeBuffer chunk = std::move(groups_[group].back());
      groups_[group].pop_back();
      --held_;
      return chunk;
    }
  }
  return HugeBuffer(kChunkBytes);
}

void ChunkPool::Return(size_t group, HugeBuffer chunk) {
  PMDEX_CHECK(chunk.size_bytes() == kChunkBytes);
  MutexLock lock(&mutex_);
  try {
    if (group >= groups_.size()) groups_.resize(group + 1);
    groups_[group].push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return;  // no memory to keep it: the system has it back
  }
  ++held_;
}

void ChunkPool::TrimTo(size_t size_bytes) {
  std::vector<HugeBuffer> given_back;  // outside of the lock
  MutexLock lock(&mutex_);
  for (std::vector<HugeBuffer>& group : groups_) {
    while (held_ * kChunkBytes > size_bytes && !group.empty()) {
      given_back.push_back(std::move(group.back()));
      group.pop_back();
      --held_;
    }
  }
}

size_t ChunkPool::held_bytes() const {
  MutexLock lock(&mutex_);
  return held_ * kChunkBytes;
}

}  // namespace pmdex
