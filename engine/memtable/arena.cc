#include "engine/memtable/arena.h"

#include <new>

#include "pmem/check.h"

namespace pmdex {
namespace {
constexpr std::align_val_t kChunkAlignment{64};
}  // namespace

void Arena::FreeChunk::operator()(uint8_t* chunk) const {
  ::operator delete[](chunk, kChunkAlignment);
}

Arena::Chunk Arena::NewChunk() {
  return Chunk(static_cast<uint8_t*>(::operator new[](kChunkBytes, kChunkAlignment)));
}

void Arena::StartChunk() {
  PMDEX_CHECK((current_ + 2) * kChunkBytes <= kMaxBytes);
  ++current_;
  if (current_ == chunks_.size()) chunks_.push_back(NewChunk());
  next_unit_ = 0;
}

void Arena::Clear() {
  if (chunks_.empty()) chunks_.push_back(NewChunk());
  current_ = 0;
  next_unit_ = kFirstUnit;
}

void Arena::ReleaseUnused() {
  chunks_.resize(current_ + 1);
}

}  // namespace pmdex
