#include "engine/memtable/terms/term_buckets.h"

#include <algorithm>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

TermBuckets::TermBuckets(uint32_t parts) : part_mask_(parts - 1), other_parts_(parts - 1) {
  PMDEX_CHECK(parts > 0 && parts <= kMaxParts && (parts & (parts - 1)) == 0);
  ForEachPart([](Part& part) { TakeMemory(part, kFirstBuckets); });
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
    bytes += part.few.capacity() * sizeof(Bucket) + part.memory.size_bytes();
  });
  return bytes;
}

void TermBuckets::TakeMemory(Part& part, size_t count) {
  if (count <= kMostFewBuckets) {
    part.few.resize(count);
    part.buckets = part.few.data();
  } else {
    part.memory.Grow(count * sizeof(Bucket));
    part.buckets = part.memory.As<Bucket>().data();
    std::copy(part.few.begin(), part.few.end(), part.buckets);
    part.few = std::vector<Bucket>();
  }
  part.mask = count - 1;
  part.grow_at = count / 3 * 2;
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
