// Computes aggregations over all documents that match a query. The searcher calls Aggregate beside
// its ranking. The threads of a search take ranges of windows in turn, and each has collectors of
// its own, which are merged at the end. Results of several indexes can be merged, too.
//
// For one thread at a time, after Aggregate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pmem/status.h"
#include "query/aggregations/aggregation.h"
#include "query/aggregations/aggregation_result.h"
#include "query/aggregations/bound_aggregation.h"
#include "query/aggregations/collectors/bucket_collector.h"
#include "query/algorithm/search_context.h"

namespace pmdex {

// True if the answer to one of the requests has values of documents that do not match the query.
bool ShowOtherDocs(const std::vector<Aggregation>& requests);

class AggregationSet {
 public:
  AggregationSet(const AggregationSet&) = delete;
  AggregationSet& operator=(const AggregationSet&) = delete;

  // Over the matches of a query that score at least search.plan.limits.min_score. Histograms
  // without an interval get one. Errors as BindAggregation; kDataLoss if bytes that it reads are
  // damaged; kResourceExhausted if there are too many buckets. Requires threads > 0.
  static absl::StatusOr<std::unique_ptr<AggregationSet>> Aggregate(
      std::vector<Aggregation> requests, const SearchContext& search, size_t threads);

  // Adds the documents of another index, for the same requests. kInvalidArgument if a field has
  // another type there. A field that one of them lacks is what it is in the other.
  absl::Status Merge(const AggregationSet& other);

  // Indexed like the requests. Errors as Collector::Result.
  absl::StatusOr<std::vector<AggregationResult>> Results(BucketLimits limits = {}) const;

  uint64_t match_count() const { return match_count_; }
  bool timed_out() const { return timed_out_; }  // the deadline came: matches are missing
  const std::vector<Aggregation>& requests() const { return requests_; }

 private:
  struct Work;
  struct Worker;

  explicit AggregationSet(std::vector<Aggregation> requests) : requests_(std::move(requests)) {}
  absl::Status Bind(const SearchContext& search);
  absl::Status Collect(const SearchContext& search, size_t threads);
  static absl::Status CollectRanges(Work& work, Worker& worker);
  Collectors NewCollectors() const;

  std::vector<Aggregation> requests_;
  std::vector<BoundAggregation> bound_;  // indexed like the requests, as are the collectors
  Collectors collectors_;
  uint64_t match_count_ = 0;
  bool timed_out_ = false;
};

}  // namespace pmdex
