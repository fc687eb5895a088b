#include "engine/memtable/terms/term_slots.h"

#include <utility>

#include "pmem/check.h"

namespace pmdex {

TermSlots::TermSlots(uint32_t parts) : part_mask_(parts - 1), other_parts_(parts - 1) {
  PMDEX_CHECK(parts > 0 && parts <= kMaxParts && (parts & (parts - 1)) == 0);
  ForEachPart([](Part& part) { TakeMemory(part, kFirstSlots); });
}

void TermSlots::Put(Part& part, Slot slot) {
  size_t i = slot.hash & part.mask;
  while (part.slots[i].handle != 0) i = (i + 1) & part.mask;
  part.slots[i] = slot;
}

void TermSlots::Insert(uint32_t hash, Arena::Handle handle) {
  Part& part = PartOf(hash);
  Put(part, {hash, handle});
  ++part.size;
}

// What follows in the cluster moves up, so that no search ends too early.
void TermSlots::Remove(uint32_t hash, Arena::Handle handle) {
  Part& part = PartOf(hash);
  size_t hole = hash & part.mask;
  while (part.slots[hole].handle != handle) {
    PMDEX_DCHECK(part.slots[hole].handle != 0);
    hole = (hole + 1) & part.mask;
  }
  for (size_t i = (hole + 1) & part.mask; part.slots[i].handle != 0; i = (i + 1) & part.mask) {
    const size_t from_home = (i - part.slots[i].hash) & part.mask;
    const size_t from_hole = (i - hole) & part.mask;
    if (from_home < from_hole) continue;  // its search begins behind the hole
    part.slots[hole] = part.slots[i];
    hole = i;
  }
  part.slots[hole] = {};
  --part.size;
}

size_t TermSlots::size() const {
  size_t size = 0;
  ForEachPart([&size](const Part& part) { size += part.size; });
  return size;
}

size_t TermSlots::size_bytes() const {
  size_t bytes = 0;
  ForEachPart([&bytes](const Part& part) { bytes += part.memory.size_bytes(); });
  return bytes;
}

void TermSlots::TakeMemory(Part& part, size_t count) {
  part.memory.Grow(count * sizeof(Slot));
  part.slots = part.memory.As<Slot>().data();
  part.mask = count - 1;
  part.grow_at = count / 3 * 2;
}

// In place, so that only the new half is memory that was not touched before. A term's new place is
// its old one, or the same in the new half, or between that and its home: behind all that were
// moved before it and before all that were not. But for the first cluster, which may go around the
// end: it goes last.
void TermSlots::Grow(Part& part) {
  const size_t old_count = part.mask + 1;
  TakeMemory(part, 2 * old_count);
  std::vector<Slot> first_cluster;
  size_t i = 0;
  for (; part.slots[i].handle != 0; ++i) first_cluster.push_back(std::exchange(part.slots[i], {}));
  for (; i < old_count; ++i) {
    if (part.slots[i].handle != 0) Put(part, std::exchange(part.slots[i], {}));
  }
  for (const Slot& slot : first_cluster) Put(part, slot);
}

}  // namespace pmdex
