#include "query/aggregations/collectors/bucket_collector.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pmdex {

absl::Status BucketCollector::OpenSegment(const SegmentContext& segment) {
  for (const auto& collector : below_) PMDEX_RETURN_IF_ERROR(collector->OpenSegment(segment));
  return absl::OkStatus();
}

absl::Status BucketCollector::CloseSegment() {
  for (const auto& collector : below_) PMDEX_RETURN_IF_ERROR(collector->CloseSegment());
  return CheckSize();
}

bool BucketCollector::timed_out() const {
  return std::any_of(below_.begin(), below_.end(),
                     [](const auto& collector) { return collector->timed_out(); });
}

void BucketCollector::Merge(const Collector& other, std::span<const uint32_t> parents) {
  const auto& same = static_cast<const BucketCollector&>(other);
  std::vector<uint32_t> buckets(same.table_.size());
  for (uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
    buckets[bucket] = table_.FindOrAdd(parents[same.table_.parent(bucket)],
                                       KeyFrom(same, same.table_.key(bucket)));
    table_.AddDocs(buckets[bucket], same.table_.count(bucket));
  }
  for (size_t i = 0; i < below_.size(); ++i) below_[i]->Merge(*same.below_[i], buckets);
}

absl::Status BucketCollector::CollectBelow(uint32_t window, std::span<const uint16_t> docs,
                                           std::span<const uint32_t> buckets) {
  for (const auto& collector : below_) {
    PMDEX_RETURN_IF_ERROR(collector->Collect({window, docs, buckets}));
  }
  return absl::OkStatus();
}

absl::Status BucketCollector::CheckSize() const {
  if (!table_.is_full()) return absl::OkStatus();
  return absl::ResourceExhaustedError("an aggregation has more than " +
                                      std::to_string(BucketTable::kMostBuckets) +
                                      " buckets while matches are counted");
}

absl::Status BucketCollector::TakeBytes(uint64_t bytes, BucketLimits& limits) {
  if (bytes > limits.bytes_left) {
    return absl::OutOfRangeError("the answer of the aggregations would be too large");
  }
  limits.bytes_left -= bytes;
  return absl::OkStatus();
}

absl::StatusOr<AggregationBucket> BucketCollector::MakeBucket(DocValue key, uint32_t bucket,
                                                              BucketLimits& limits) const {
  if (limits.left == 0) {
    return absl::ResourceExhaustedError("the answer would have too many buckets");
  }
  if (IsPast(limits.deadline)) {
    return absl::DeadlineExceededError("the deadline came while buckets were made");
  }
  --limits.left;
  PMDEX_RETURN_IF_ERROR(TakeBytes(sizeof(AggregationBucket) + key.keyword.size(), limits));
  AggregationBucket made;
  made.key = std::move(key);
  if (bucket != BucketTable::kNone) made.count = table_.count(bucket);
  for (const auto& collector : below_) {
    PMDEX_RETURN_IF_ERROR(TakeBytes(collector->ResultBytes(), limits));
    PMDEX_ASSIGN_OR_RETURN(made.below.emplace_back(), collector->Result(bucket, limits));
  }
  return made;
}

}  // namespace pmdex
