#include "query/aggregations/values/order_count.h"

#include <algorithm>

namespace pmdex {
namespace {

// A place where a bucket ends costs as much as to count so many values one by one.
constexpr uint64_t kValuesPerSlot = 512;

absl::StatusOr<uint64_t> SlotAt(uint64_t place, const ColumnView& column, BucketMapper& mapper) {
  PMDEX_ASSIGN_OR_RETURN(uint64_t key, column.KeyInOrder(place));
  mapper.Map({&key, 1});
  return key;
}

// The first place behind `place` that has another slot. Goes over samples in growing steps, then
// halves the last step.
absl::StatusOr<uint64_t> EndOfSlot(uint64_t place, uint64_t slot, const ColumnView& column,
                                   BucketMapper& mapper) {
  const uint64_t count = column.value_count();
  uint64_t same = place;
  uint64_t other = count;
  for (uint64_t step = kSampleValues; other == count && same < count; step *= 2) {
    const uint64_t next = (same + step) / kSampleValues * kSampleValues;
    if (next >= count) break;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t found, SlotAt(next, column, mapper));
    (found == slot ? same : other) = next;
  }
  while (other - same > 1) {
    uint64_t middle = same + (other - same) / 2;
    // Samples are read with less effort.
    const uint64_t sample = middle / kSampleValues * kSampleValues;
    if (sample > same) middle = sample;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t found, SlotAt(middle, column, mapper));
    (found == slot ? same : other) = middle;
  }
  return other;
}

}  // namespace

bool PaysToCountInOrder(const ColumnView& column, const BucketMapper& mapper) {
  return mapper.ascends() && !column.is_multi() && mapper.slot_count() != 0 &&
         mapper.slot_count() <= column.value_count() / kValuesPerSlot;
}

absl::Status CountInOrder(const ColumnView& column, BucketMapper& mapper,
                          std::span<uint64_t> counts) {
  for (uint64_t place = 0; place < column.value_count();) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t slot, SlotAt(place, column, mapper));
    PMDEX_ASSIGN_OR_RETURN(const uint64_t end, EndOfSlot(place, slot, column, mapper));
    if (slot < counts.size()) counts[slot] += end - place;
    place = end;
  }
  return absl::OkStatus();
}

}  // namespace pmdex
