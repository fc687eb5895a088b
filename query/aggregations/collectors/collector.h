// Computes one aggregation, and those below it, for buckets of the collector above; the topmost one
// has bucket 0 alone. Every thread of a search has collectors of its own, which get the documents
// of many windows, and which are merged at the end:
//
//   OpenSegment, Collect for windows in any order, CloseSegment; again for other segments
//   Merge of the collectors of all threads
//   Result
//
// For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "query/aggregations/aggregation_result.h"
#include "query/aggregations/bound_aggregation.h"
#include "query/aggregations/values/bucket_table.h"
#include "query/aggregations/values/doc_batch.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/deadline.h"

namespace pmdex {

// How many buckets an answer may have, and how much memory and time it may take.
struct BucketLimits {
  uint64_t most_of_histogram = kMostHistogramBuckets;
  // Of the whole answer; results count them down.
  uint64_t left = UINT64_MAX;        // buckets
  uint64_t bytes_left = UINT64_MAX;  // of results in memory, about
  Deadline deadline = std::nullopt;
};

class Collector {
 public:
  explicit Collector(const BoundAggregation& bound) : bound_(bound), key_type_(bound.type) {}
  virtual ~Collector() = default;

  // The segment's context must stay until CloseSegment.
  virtual absl::Status OpenSegment(const SegmentContext& segment) = 0;
  // kDataLoss if bytes that it reads are damaged; kResourceExhausted if there are too many buckets.
  virtual absl::Status Collect(const DocBatch& batch) = 0;
  // If true, CollectAll may be called once for the open segment in place of Collect. It collects
  // all documents, and costs less. Requires that none is deleted. All threads get the same answer.
  virtual bool PaysToCollectAll() { return false; }
  virtual absl::Status CollectAll() { return absl::OkStatus(); }
  virtual absl::Status CloseSegment() = 0;
  // True once the deadline came while the collector, or one below, looked for documents of its own.
  // Documents are missing from its buckets then.
  virtual bool timed_out() const { return false; }

  // Adds what `other` has collected, which is a collector of the same request. Its values may be
  // numbers of another type, where those of this collector are f64. parents: the bucket
  // of this collector's parent for each bucket of the other's parent.
  virtual void Merge(const Collector& other, std::span<const uint32_t> parents) = 0;

  // Of one bucket of the parent; BucketTable::kNone for a bucket without documents.
  // kInvalidArgument if a histogram would have too many buckets, kResourceExhausted if the answer
  // would, kOutOfRange if it would be larger than bytes_left, and kDeadlineExceeded.
  virtual absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const = 0;
  // A number of the result; NaN if there is none.
  virtual double Metric(uint32_t parent, const MetricName& name) const;
  // A number of the collector that `path` leads to, as in TermsOrder. Requires that those on the
  // way have a single bucket.
  virtual double MetricBelow(uint32_t parent, std::span<const size_t> path,
                             const MetricName& name) const;

  // What a result of this collector takes in memory, without its buckets.
  uint64_t ResultBytes() const {
    return sizeof(AggregationResult) + request().field.size() +
           request().percents.size() * (sizeof(double) + sizeof(DocValue));
  }

  const BoundAggregation& bound() const { return bound_; }
  // The type of the values that were collected. That of bound() may be agreed upon later.
  FieldType key_type() const { return key_type_; }
  const Aggregation& request() const { return *bound_.request; }

 protected:
  // A result of this kind without values.
  AggregationResult EmptyResult() const;
  // The column of the field in a segment; nullptr if the segment has no values of it.
  const ColumnView* FindColumn(const Segment& segment) const;

 private:
  const BoundAggregation& bound_;
  const FieldType key_type_;
};

}  // namespace pmdex
