#include "engine/ingest/pipeline/block_pool.h"

#include <sys/mman.h>

#include <algorithm>

#include "engine/ingest/pipeline/node_groups.h"
#include "pmem/mutex.h"

namespace pmdex {
namespace {

// Straight from the kernel and straight back: an oversize block leaves nothing behind in the heap.
Block* NewBlock(size_t capacity) {
  void* bytes = mmap(nullptr, capacity + Block::kPaddingBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) return nullptr;
  Block* block = new Block;
  block->bytes = static_cast<char*>(bytes);
  block->capacity = capacity;
  return block;
}

void DeleteBlock(Block* block) {
  munmap(block->bytes, block->capacity + Block::kPaddingBytes);
  delete block;
}

}  // namespace

void ReturnBlock::operator()(Block* block) const {
  pool->Return(block);
}

// A thread that waits for a block.
struct BlockPool::Request {
  const BlockPool& pool;
  const size_t group;
  bool MayAcquire() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    const GroupBlocks& blocks = pool.groups_[group];
    return pool.cancelled_ || !blocks.free.empty() || blocks.made < blocks.block_count;
  }
};

BlockPool::BlockPool(size_t block_bytes, const std::vector<size_t>& block_counts)
    : block_bytes_(block_bytes), groups_(block_counts.size()) {
  for (size_t group = 0; group < block_counts.size(); ++group) {
    groups_[group].block_count = block_counts[group];
    groups_[group].free.reserve(block_counts[group]);  // a block comes back without taking memory
  }
}

BlockPool::~BlockPool() {
  for (GroupBlocks& blocks : groups_) {
    for (Block* block : blocks.free) DeleteBlock(block);
  }
}

BlockPtr BlockPool::Acquire() {
  const Request request = {*this, NodeGroups::Current()};
  Block* block = nullptr;
  {
    MutexLock lock(&mutex_);
    if (!request.MayAcquire()) {
      const StageClock::time_point since = StageClock::now();
      mutex_.Await(&request, &Request::MayAcquire);
      waited_ += StageClock::now() - since;
    }
    if (cancelled_) return nullptr;
    GroupBlocks& blocks = groups_[request.group];
    if (blocks.free.empty()) {
      block = NewBlock(block_bytes_);
      if (block != nullptr) ++blocks.made;
    } else {
      block = blocks.free.back();
      blocks.free.pop_back();
    }
  }
  if (block != nullptr) block->group = request.group;
  return BlockPtr(block, ReturnBlock{this});
}

BlockPtr BlockPool::AcquireOversize(size_t capacity) {
  {
    MutexLock lock(&mutex_);
    if (!MayAcquireOversize()) {
      const StageClock::time_point since = StageClock::now();
      mutex_.Await(this, &BlockPool::MayAcquireOversize);
      waited_ += StageClock::now() - since;
    }
    if (cancelled_) return nullptr;
    oversize_in_use_ = true;
  }
  return NewOversize(capacity);
}

BlockPtr BlockPool::TryAcquireOversize(size_t capacity) {
  {
    MutexLock lock(&mutex_);
    if (cancelled_ || oversize_in_use_) return nullptr;
    oversize_in_use_ = true;
  }
  return NewOversize(capacity);
}

BlockPtr BlockPool::NewOversize(size_t capacity) {
  // One more byte than an ordinary block tells the two apart.
  Block* block = NewBlock(std::max(capacity, block_bytes_ + 1));
  if (block == nullptr) {
    MutexLock lock(&mutex_);
    oversize_in_use_ = false;
    return nullptr;
  }
  block->group = NodeGroups::Current();
  return BlockPtr(block, ReturnBlock{this});
}

void BlockPool::Return(Block* block) {
  const bool oversize = block->capacity != block_bytes_;
  if (oversize) {
    DeleteBlock(block);
  } else {
    block->size = block->begin = 0;
    block->files.clear();
    block->path.reset();
    block->first_line = 1;
    block->mtime = 0;
    block->time_before.reset();
    block->turn.reset();
    block->origin = {};
  }
  MutexLock lock(&mutex_);
  if (oversize) {
    oversize_in_use_ = false;
  } else {
    groups_[block->group].free.push_back(block);
  }
}

double BlockPool::wait_seconds() const {
  MutexLock lock(&mutex_);
  return std::chrono::duration<double>(waited_).count();
}

void BlockPool::Cancel() {
  MutexLock lock(&mutex_);
  cancelled_ = true;
}

}  // namespace pmdex
