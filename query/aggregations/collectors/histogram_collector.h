// A bucket for each interval of numbers or dates (AggregationKind::kHistogram, kDateHistogram).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "query/aggregations/collectors/value_bucket_collector.h"

namespace pmdex {

class HistogramCollector final : public ValueBucketCollector {
 public:
  HistogramCollector(const BoundAggregation& bound, Collectors below)
      : ValueBucketCollector(bound, std::move(below)), scale_(*bound.scale) {}

  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;

 private:
  std::unique_ptr<BucketMapper> NewMapper(const ColumnView& column) override;
  uint64_t KeyFrom(const BucketCollector& other, uint64_t key) override;
  absl::Status TooMany(const BucketLimits& limits) const;

  const HistogramScale scale_;  // of key_type()
};

}  // namespace pmdex
