// A bucket for each of some queries (AggregationKind::kFilters).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "query/aggregations/collectors/bucket_collector.h"
#include "query/algorithm/leaf/leaf.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class FiltersCollector final : public BucketCollector {
 public:
  using BucketCollector::BucketCollector;

  absl::Status OpenSegment(const SegmentContext& segment) override;
  absl::Status Collect(const DocBatch& batch) override;
  absl::Status CloseSegment() override;
  bool timed_out() const override { return timed_out_ || BucketCollector::timed_out(); }
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;
  // How many documents the bucket of the first filter has.
  double Metric(uint32_t parent, const MetricName& name) const override;
  double MetricBelow(uint32_t parent, std::span<const size_t> path,
                     const MetricName& name) const override;

 private:
  uint32_t FirstBucketOf(uint32_t parent) const;  // kNone without documents

  // The matches of a filter in the open segment.
  struct OpenFilter {
    std::unique_ptr<SegmentContext> context;
    std::unique_ptr<Leaf> leaf;  // nullptr: no matches
    uint32_t window = UINT32_MAX;
    WindowBits docs;  // of that window
  };

  std::vector<OpenFilter> filters_;
  bool timed_out_ = false;  // the deadline came while filters were bound, opened or read
  std::vector<uint16_t> docs_;
  std::vector<uint32_t> buckets_;
};

}  // namespace pmdex
