// The answers of aggregations (aggregation.h), indexed as their requests are. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/aggregations/aggregation.h"
#include "query/result/doc_value.h"

namespace pmdex {

struct AggregationResult;

struct AggregationBucket {
  DocValue key;  // of kTerms and histograms: the value, or the start of the interval
  std::optional<DocValue> from;  // of kRange
  std::optional<DocValue> to;
  uint64_t count = 0;  // documents
  std::vector<AggregationResult> below;
};

// Of no values: `count` and `sum` are 0, and the others are missing.
struct StatsResult {
  uint64_t count = 0;  // values
  DocValue min;
  DocValue max;
  DocValue avg;
  DocValue sum;  // an integer if the values are integers and it fits in 64 bits; of dates in
                 // milliseconds
};

struct AggregationResult {
  AggregationKind kind = AggregationKind::kTerms;
  std::string field;                 // as in the request
  FieldType type = FieldType::kI64;  // of the field
  // False where matches may be missing (the deadline came), and where the numbers are estimates.
  bool exact = true;
  std::vector<AggregationBucket> buckets;
  uint64_t other_count = 0;  // kTerms: the documents of the buckets that `size` left out
  StatsResult stats;         // kStats
  std::optional<MetricName::Part> shown;  // as in the request
  uint64_t cardinality = 0;               // kCardinality
  std::vector<DocValue> percentiles;      // kPercentiles; indexed like percents
  std::vector<double> percents;           // as in the request
};

}  // namespace pmdex
