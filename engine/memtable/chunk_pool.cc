#include "engine/memtable/chunk_pool.h"

#include <new>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

HugeBuffer ChunkPool::Take(size_t group) {
  {
    MutexLock lock(&mutex_);
    if (group >= groups_.size()) groups_.resize(group + 1);
    ++groups_[group].taken;
    ++taken_;
    std::vector<HugeBuffer>& chunks = groups_[group].chunks;
    if (!chunks.empty()) {
      HugeBuffer chunk = std::move(chunks.back());
      chunks.pop_back();
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
    groups_[group].chunks.push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return;  // no memory to keep it: the system has it back
  }
  ++held_;
}

void ChunkPool::TrimTo(size_t size_bytes) {
  std::vector<HugeBuffer> given_back;  // outside of the lock
  MutexLock lock(&mutex_);
  for (Group& group : groups_) {
    while (held_ * kChunkBytes > size_bytes && !group.chunks.empty()) {
      given_back.push_back(std::move(group.chunks.back()));
      group.chunks.pop_back();
      --held_;
    }
  }
}

size_t ChunkPool::held(size_t group) const {
  MutexLock lock(&mutex_);
  return group < groups_.size() ? groups_[group].chunks.size() : 0;
}

uint64_t ChunkPool::taken(size_t group) const {
  MutexLock lock(&mutex_);
  return group < groups_.size() ? groups_[group].taken : 0;
}

std::optional<uint64_t> ChunkPool::AwaitTake(uint64_t seen) {
  MutexLock lock(&mutex_);
  seen_ = seen;
  mutex_.Await(this, &ChunkPool::HasNews);
  return ended_ ? std::nullopt : std::optional(taken_);
}

void ChunkPool::EndWaiting() {
  MutexLock lock(&mutex_);
  ended_ = true;
}

size_t ChunkPool::held_bytes() const {
  MutexLock lock(&mutex_);
  return held_ * kChunkBytes;
}

}  // namespace pmdex
