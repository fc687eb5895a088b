#include "engine/memtable/arena.h"

#include <utility>

#include "pmem/check.h"

namespace pmdex {

void Arena::AddChunk() {
  chunks_.push_back(pool_ == nullptr ? HugeBuffer(kChunkBytes) : pool_->Take(lane_));
  begins_.push_back(reinterpret_cast<uint8_t*>(chunks_.back().data()));
}

void Arena::StartChunk() {
  PMDEX_CHECK((current_ + 2) * kChunkBytes <= kMaxBytes);
  ++current_;
  if (current_ == chunks_.size()) AddChunk();
  next_unit_ = 0;
}

void Arena::Clear() {
  if (chunks_.empty()) AddChunk();
  current_ = 0;
  next_unit_ = kFirstUnit;
}

void Arena::ReleaseUnused() {
  while (chunks_.size() > current_ + 1) DropLastChunk();
}

void Arena::DropLastChunk() {
  if (pool_ != nullptr) pool_->Return(lane_, std::move(chunks_.back()));
  chunks_.pop_back();
  begins_.pop_back();
}

Arena::~Arena() {
  while (!chunks_.empty()) DropLastChunk();
}

}  // namespace pmdex
