#include "engine/memtable/terms/term_buckets.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

TermBuckets::TermBuckets(uint32_t parts, ChunkPool* chunks, size_t chunk_group)
    : part_mask_(parts - 1), chunks_(chunks), chunk_group_(chunk_group), other_parts_(parts - 1) {
  PMDEX_CHECK(parts > 0 && parts <= kMaxParts && (parts & (parts - 1)) == 0);
  ForEachPart([this](Part& part) { TakeMemory(part, kFirstBuckets); });
}

void TermBuckets::Put(Part& part, Bucket bucket) {
  size_t i = bucket.hash & part.mask;
  while (part.buckets[i].handle != 0) i = (i + 1) & part.mask;
  part.buckets[i] = bucket;
}

void TermBuckets::Insert(uint32_t hash, Arena::Handle handle) {
  Part& part = PartOf(hash);
  Put(part, {hash, handle});
  ++part.size;
}

// What follows in the cluster moves up, so that no search ends too early.
void TermBuckets::Remove(uint32_t hash, Arena::Handle handle) {
  Part& part = PartOf(hash);
  size_t hole = hash & part.mask;
  while (part.buckets[hole].handle != handle) {
    PMDEX_DCHECK(part.buckets[hole].handle != 0);
    hole = (hole + 1) & part.mask;
  }
  for (size_t i = (hole + 1) & part.mask; part.buckets[i].handle != 0; i = (i + 1) & part.mask) {
    const size_t from_home = (i - part.buckets[i].hash) & part.mask;
    const size_t from_hole = (i - hole) & part.mask;
    if (from_home < from_hole) continue;  // its search begins behind the hole
    part.buckets[hole] = part.buckets[i];
    hole = i;
  }
  part.buckets[hole] = {};
  --part.size;
}

size_t TermBuckets::size() const {
  size_t size = 0;
  ForEachPart([&size](const Part& part) { size += part.size; });
  return size;
}

size_t TermBuckets::size_bytes() const {
  size_t bytes = 0;
  ForEachPart([&bytes](const Part& part) {
    const bool has_memory = part.memory.size_bytes() > 0;
    bytes += (has_memory ? part.mask + 1 : part.few.capacity()) * sizeof(Bucket);
  });
  return bytes;
}

void TermBuckets::TakeMemory(Part& part, size_t count) {
  if (count <= kMostFewBuckets) {
    part.few.resize(count);
    part.buckets = part.few.data();
  } else if (const size_t bytes = count * sizeof(Bucket);
             part.is_chunk && bytes <= part.memory.size_bytes()) {
    const size_t before = (part.mask + 1) * sizeof(Bucket);
    std::memset(part.memory.data() + before, 0, bytes - before);
  } else {
    // Behind its buckets a chunk has bytes of those who had it before.
    const size_t used = part.is_chunk ? (part.mask + 1) * sizeof(Bucket) : part.memory.size_bytes();
    const size_t left = part.memory.size_bytes() - used;
    if (left != 0) std::memset(part.memory.data() + used, 0, left);
    part.memory.Grow(bytes);
    part.is_chunk = false;
    part.buckets = part.memory.As<Bucket>().data();
    std::copy(part.few.begin(), part.few.end(), part.buckets);
    part.few = std::vector<Bucket>();
  }
  part.mask = count - 1;
  part.grow_at = count / 3 * 2;
}

// Requires that the part is empty and has no memory but `few`.
void TermBuckets::TakeChunk(Part& part, size_t count) {
  part.few = std::vector<Bucket>();
  part.memory = chunks_->Take(chunk_group_);
  part.is_chunk = true;
  part.buckets = part.memory.As<Bucket>().data();
  std::fill_n(part.buckets, count, Bucket{});
  part.mask = count - 1;
  part.grow_at = count / 3 * 2;
}

void TermBuckets::DropPart(Part& part) {
  part.few = std::vector<Bucket>();
  if (part.is_chunk) {
    chunks_->Return(chunk_group_, std::move(part.memory));
    part.is_chunk = false;
  }
  part.memory = HugeBuffer();
}

// An empty part takes its memory at once.
void TermBuckets::GrowFor(Part& part, size_t terms) {
  if (part.size == 0) {
    size_t count = part.mask + 1;
    while (terms > count / 3 * 2) count *= 2;
    const bool fits = count * sizeof(Bucket) <= ChunkPool::kChunkBytes;
    const bool has_own = part.memory.size_bytes() > 0;
    if (chunks_ != nullptr && has_one_part() && count > kMostFewBuckets && fits && !has_own) {
      TakeChunk(part, count);
    } else {
      TakeMemory(part, count);
    }
    return;
  }
  while (part.size + terms > part.grow_at) Grow(part);
}

// In place, so that only the new half is memory that was not touched before. A term's new place is
// its old one, or the same in the new half, or between that and its home: behind all that were
// moved before it and before all that were not. But for the first cluster, which may go around the
// end: it goes last.
void TermBuckets::Grow(Part& part) {
  const size_t old_count = part.mask + 1;
  TakeMemory(part, 2 * old_count);
  std::vector<Bucket> first_cluster;
  size_t i = 0;
  for (; part.buckets[i].handle != 0; ++i)
    first_cluster.push_back(std::exchange(part.buckets[i], {}));
  for (; i < old_count; ++i) {
    if (part.buckets[i].handle != 0) Put(part, std::exchange(part.buckets[i], {}));
  }
  for (const Bucket& bucket : first_cluster) Put(part, bucket);
}

}  // namespace pmdex
