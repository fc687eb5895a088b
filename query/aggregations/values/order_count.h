// Counts all values of a column by bucket through the order of values: only the places where one
// bucket ends and the next one begins are looked for. Stateless.
#pragma once

#include <cstdint>
#include <span>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "query/aggregations/values/bucket_mapper.h"

namespace pmdex {

// True if that costs less than to look at each value. mapper: of the column.
bool PaysToCountInOrder(const ColumnView& column, const BucketMapper& mapper);

// Adds to counts[slot] the values of each slot. counts: slot_count() of them. Requires a mapper
// that ascends and a column that is not is_multi(). kDataLoss for damaged bytes.
absl::Status CountInOrder(const ColumnView& column, BucketMapper& mapper,
                          std::span<uint64_t> counts);

}  // namespace pmdex
