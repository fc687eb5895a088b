// A bucket for each of some ranges of values (AggregationKind::kRange). Ranges may overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/aggregations/collectors/bucket_collector.h"
#include "query/aggregations/values/column_reader.h"

namespace pmdex {

class RangeCollector final : public BucketCollector {
 public:
  using BucketCollector::BucketCollector;

  absl::Status OpenSegment(const SegmentContext& segment) override;
  absl::Status Collect(const DocBatch& batch) override;
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;

 private:
  std::optional<ColumnReader> reader_;  // none: the segment has no values
  BatchValues values_;
  std::vector<uint16_t> docs_;
  std::vector<uint32_t> buckets_;
};

}  // namespace pmdex
