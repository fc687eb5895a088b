#include "query/aggregations/collectors/filters_collector.h"

#include "query/algorithm/leaf/leaf_factory.h"

namespace pmdex {

absl::Status FiltersCollector::OpenSegment(const SegmentContext& segment) {
  filters_.clear();
  for (const QueryBinding& binding : bound().filters) {
    OpenFilter& filter = filters_.emplace_back();
    filter.context = std::make_unique<SegmentContext>(
        SegmentContext{segment.segment, segment.index, segment.doc_base, segment.kernels,
                       *binding.expansions, segment.cursor});
    timed_out_ = timed_out_ || binding.timed_out;
    if (binding.root->kind == BoundKind::kNone) continue;
    PMDEX_ASSIGN_OR_RETURN(filter.leaf, OpenLeaf(*binding.root, *filter.context));
    timed_out_ = timed_out_ || filter.context->cursor.timed_out;
  }
  return BucketCollector::OpenSegment(segment);
}

absl::Status FiltersCollector::Collect(const DocBatch& batch) {
  for (size_t i = 0; i < filters_.size(); ++i) {
    OpenFilter& filter = filters_[i];
    if (filter.leaf == nullptr) continue;
    if (filter.window != batch.window) {
      filter.docs.Clear();
      filter.leaf->Fill(batch.window, filter.docs);
      filter.window = batch.window;
      PMDEX_RETURN_IF_ERROR(filter.context->cursor.damage);
      timed_out_ = timed_out_ || filter.context->cursor.timed_out;
    }
    docs_.clear();
    buckets_.clear();
    for (size_t at = 0; at < batch.docs.size(); ++at) {
      const uint16_t doc = batch.docs[at];
      if ((filter.docs.words[doc / 64] >> (doc % 64) & 1) == 0) continue;
      const uint32_t bucket = table().FindOrAdd(batch.BucketOf(at), i);
      table().AddDocs(bucket, 1);
      docs_.push_back(doc);
      buckets_.push_back(bucket);
    }
    PMDEX_RETURN_IF_ERROR(CollectBelow(batch.window, docs_, buckets_));
  }
  return CheckSize();
}

absl::Status FiltersCollector::CloseSegment() {
  filters_.clear();
  return BucketCollector::CloseSegment();
}

absl::StatusOr<AggregationResult> FiltersCollector::Result(uint32_t parent,
                                                           BucketLimits& limits) const {
  AggregationResult result = EmptyResult();
  std::vector<uint32_t> buckets(bound().filters.size(), BucketTable::kNone);
  for (const uint32_t bucket : table().BucketsBelow(parent)) buckets[table().key(bucket)] = bucket;
  for (const uint32_t bucket : buckets) {
    PMDEX_ASSIGN_OR_RETURN(result.buckets.emplace_back(), MakeBucket(DocValue(), bucket, limits));
  }
  return result;
}

uint32_t FiltersCollector::FirstBucketOf(uint32_t parent) const {
  for (const uint32_t bucket : table().BucketsBelow(parent)) {
    if (table().key(bucket) == 0) return bucket;
  }
  return BucketTable::kNone;
}

double FiltersCollector::Metric(uint32_t parent, const MetricName& /*name*/) const {
  const uint32_t bucket = FirstBucketOf(parent);
  return bucket == BucketTable::kNone ? 0 : static_cast<double>(table().count(bucket));
}

double FiltersCollector::MetricBelow(uint32_t parent, std::span<const size_t> path,
                                     const MetricName& name) const {
  if (path.empty()) return Metric(parent, name);
  return below()[path[0]]->MetricBelow(FirstBucketOf(parent), path.subspan(1), name);
}

}  // namespace pmdex
