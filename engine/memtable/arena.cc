#include "engine/memtable/arena.h"

#include <utility>

#include "pmem/check.h"

namespace pmdex {

void Arena::AddChunk() {
  chunks_.push_back(pool_ == nullptr ? HugeBuffer(kChunkBytes) : pool_->Take(group_));
  begins_.push_back(reinterpret_cast<uint8_t*>(chunks_.back().data()));
}

void Arena::StartChunk() {
  PMDEX_CHECK((current_ + 2) * kChunkBytes <= kMaxBytes);
  ++current_;
  AddChunk();
  next_unit_ = 0;
}

Arena::~Arena() {
  if (pool_ == nullptr) return;
  for (HugeBuffer& chunk : chunks_) pool_->Return(group_, std::move(chunk));
}

}  // namespace pmdex
