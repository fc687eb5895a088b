#include "query/aggregations/collectors/range_collector.h"

namespace pmdex {

absl::Status RangeCollector::OpenSegment(const SegmentContext& segment) {
  reader_.reset();
  if (const ColumnView* const column = FindColumn(segment.segment)) reader_.emplace(*column);
  return BucketCollector::OpenSegment(segment);
}

absl::Status RangeCollector::Collect(const DocBatch& batch) {
  if (!reader_.has_value() || batch.docs.empty()) return absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(reader_->Load(batch.window));
  reader_->Read(batch.docs, values_);
  docs_.clear();
  buckets_.clear();
  const std::vector<BoundBucketRange>& ranges = bound().ranges;
  for (size_t begin = 0; begin < values_.keys.size();) {
    const size_t position = values_.PositionOf(begin);
    size_t end = begin + 1;
    while (end < values_.keys.size() && values_.PositionOf(end) == position) ++end;
    for (size_t range = 0; range < ranges.size(); ++range) {
      bool has_one = false;  // a document is once in a range, whatever its values
      for (size_t i = begin; i < end && !has_one; ++i) {
        has_one = ranges[range].low <= values_.keys[i] && values_.keys[i] <= ranges[range].high;
      }
      if (!has_one) continue;
      const uint32_t bucket = table().FindOrAdd(batch.BucketOf(position), range);
      table().AddDocs(bucket, 1);
      docs_.push_back(batch.docs[position]);
      buckets_.push_back(bucket);
    }
    begin = end;
  }
  PMDEX_RETURN_IF_ERROR(CollectBelow(batch.window, docs_, buckets_));
  return CheckSize();
}

absl::StatusOr<AggregationResult> RangeCollector::Result(uint32_t parent,
                                                         BucketLimits& limits) const {
  AggregationResult result = EmptyResult();
  std::vector<uint32_t> buckets(bound().ranges.size(), BucketTable::kNone);
  for (const uint32_t bucket : table().BucketsBelow(parent)) buckets[table().key(bucket)] = bucket;
  for (size_t range = 0; range < buckets.size(); ++range) {
    PMDEX_ASSIGN_OR_RETURN(AggregationBucket bucket,
                           MakeBucket(DocValue(), buckets[range], limits));
    bucket.from = bound().ranges[range].from;
    bucket.to = bound().ranges[range].to;
    result.buckets.push_back(std::move(bucket));
  }
  return result;
}

}  // namespace pmdex
