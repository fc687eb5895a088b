// What all collectors with buckets share: the table of buckets, the collectors below, and merging.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/aggregations/collectors/collector.h"

namespace pmdex {

using Collectors = std::vector<std::unique_ptr<Collector>>;

class BucketCollector : public Collector {
 public:
  BucketCollector(const BoundAggregation& bound, Collectors below)
      : Collector(bound), below_(std::move(below)) {}

  absl::Status OpenSegment(const SegmentContext& segment) override;
  absl::Status CloseSegment() override;
  bool timed_out() const override;
  void Merge(const Collector& other, std::span<const uint32_t> parents) override;

 protected:
  // The key of this collector for a key of `other`, which is of the same class.
  virtual uint64_t KeyFrom(const BucketCollector& /*other*/, uint64_t key) { return key; }

  // Gives documents to the collectors below. buckets: of this collector, indexed like docs.
  absl::Status CollectBelow(uint32_t window, std::span<const uint16_t> docs,
                            std::span<const uint32_t> buckets);
  absl::Status CheckSize() const;

  // A bucket of the answer; bucket: kNone for one without documents. Counts it among the limits.
  absl::StatusOr<AggregationBucket> MakeBucket(DocValue key, uint32_t bucket,
                                               BucketLimits& limits) const;

  const BucketTable& table() const { return table_; }
  BucketTable& table() { return table_; }
  const Collectors& below() const { return below_; }

 private:
  static absl::Status TakeBytes(uint64_t bytes, BucketLimits& limits);

  BucketTable table_;
  const Collectors below_;
};

}  // namespace pmdex
