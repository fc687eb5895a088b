// The collectors of numbers: statistics, how many different values there are, and percentiles.
// Each keeps its state for every bucket of the collector above.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/aggregations/collectors/collector.h"
#include "query/aggregations/values/column_reader.h"
#include "query/aggregations/values/distinct_counter.h"
#include "query/aggregations/values/quantile_sketch.h"

namespace pmdex {

// Reads the values of the batches and hands them to a subclass.
class MetricCollector : public Collector {
 public:
  using Collector::Collector;

  absl::Status OpenSegment(const SegmentContext& segment) override;
  absl::Status Collect(const DocBatch& batch) override;
  absl::Status CloseSegment() override;

 protected:
  virtual void OpenColumn(const ColumnView& /*column*/) {}
  virtual absl::Status Add(const DocBatch& batch, const BatchValues& values) = 0;

 private:
  std::optional<ColumnReader> reader_;  // none: the segment has no values
  BatchValues values_;
};

class StatsCollector final : public MetricCollector {
 public:
  using MetricCollector::MetricCollector;

  void Merge(const Collector& other, std::span<const uint32_t> parents) override;
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;
  double Metric(uint32_t parent, const MetricName& name) const override;

 private:
  struct State {
    uint64_t count = 0;
    uint64_t least = UINT64_MAX;  // keys
    uint64_t greatest = 0;
    __int128 integers = 0;  // the sum, of integer types
    double sum = 0;         // of f64, with what rounding has lost (Neumaier 1974)
    double lost = 0;

    void AddReal(double value);
    void Add(FieldType type, uint64_t key);
    void Merge(const State& other);
    void Widen(FieldType type);  // its values become f64
  };

  absl::Status Add(const DocBatch& batch, const BatchValues& values) override;
  void AddKeywords(const DocBatch& batch, const BatchValues& values);
  double SumOf(const State& state) const;  // of dates in nanoseconds

  std::vector<State> states_;  // by bucket
};

class CardinalityCollector final : public MetricCollector {
 public:
  using MetricCollector::MetricCollector;

  void Merge(const Collector& other, std::span<const uint32_t> parents) override;
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;
  double Metric(uint32_t parent, const MetricName& name) const override;

 private:
  void OpenColumn(const ColumnView& column) override;
  absl::Status Add(const DocBatch& batch, const BatchValues& values) override;
  absl::StatusOr<uint64_t> HashOfKeyword(uint64_t ordinal);

  std::vector<DistinctCounter> counters_;  // by bucket
  const ColumnView* column_ = nullptr;     // of the open segment
  // Of the open segment, by ordinal: the hash of the keyword, or 0 if it is not known yet.
  std::vector<uint64_t> hashes_;
  std::vector<bool> is_counted_;  // by ordinal, in bucket 0 alone
};

class PercentilesCollector final : public MetricCollector {
 public:
  using MetricCollector::MetricCollector;

  void Merge(const Collector& other, std::span<const uint32_t> parents) override;
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;
  double Metric(uint32_t parent, const MetricName& name) const override;

 private:
  absl::Status Add(const DocBatch& batch, const BatchValues& values) override;
  // Between the values of two neighbouring ranks it is in proportion, as numpy.percentile.
  DocValue Percentile(const std::vector<QuantileSketch::Ranked>& sorted, uint64_t count,
                      double percent) const;

  std::vector<QuantileSketch> sketches_;  // by bucket
};

}  // namespace pmdex
