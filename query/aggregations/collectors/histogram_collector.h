// A bucket for each interval of numbers or dates (AggregationKind::kHistogram, kDateHistogram).
#pragma once

#include <memory>

#include "query/aggregations/collectors/value_bucket_collector.h"

namespace pmdex {

class HistogramCollector final : public ValueBucketCollector {
 public:
  using ValueBucketCollector::ValueBucketCollector;

  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;

 private:
  std::unique_ptr<BucketMapper> NewMapper(const ColumnView& column) override;
  absl::Status TooMany(const BucketLimits& limits) const;
};

}  // namespace pmdex
