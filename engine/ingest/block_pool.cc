#include "engine/ingest/block_pool.h"

#include <sys/mman.h>

#include <algorithm>

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

BlockPool::~BlockPool() {
  for (Block* block : free_) DeleteBlock(block);
}

BlockPtr BlockPool::Acquire() {
  Block* block = nullptr;
  {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &BlockPool::MayAcquire);
    if (cancelled_) return nullptr;
    if (free_.empty()) {
      block = NewBlock(block_bytes_);
      if (block != nullptr) ++made_;
    } else {
      block = free_.back();
      free_.pop_back();
    }
  }
  return BlockPtr(block, ReturnBlock{this});
}

BlockPtr BlockPool::AcquireOversize(size_t capacity) {
  {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &BlockPool::MayAcquireOversize);
    if (cancelled_) return nullptr;
    oversize_in_use_ = true;
  }
  // One more byte than an ordinary block tells the two apart.
  Block* block = NewBlock(std::max(capacity, block_bytes_ + 1));
  if (block == nullptr) {
    MutexLock lock(&mutex_);
    oversize_in_use_ = false;
  }
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
    block->origin = {};
  }
  MutexLock lock(&mutex_);
  if (oversize) {
    oversize_in_use_ = false;
  } else {
    free_.push_back(block);
  }
}

void BlockPool::Cancel() {
  MutexLock lock(&mutex_);
  cancelled_ = true;
}

}  // namespace pmdex
