// Reads the key "aggs" of a search for one index. The types and their options are those of
// KnownAggregations (api_table.h). A reader reads one request. For one thread.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

class AggregationReader {
 public:
  // Both must outlive the reader.
  AggregationReader(const DslIndex& index, AnalyzerPools& analyzers, size_t max_clauses)
      : index_(index), analyzers_(analyzers), max_clauses_(max_clauses) {}

  // {"NAME": {"TYPE": {options}, "aggs": {...}, "meta": {...}}, ...}. An ApiError names what is
  // wrong.
  absl::StatusOr<ApiAggregations> Read(const Json& aggregations) const;

 private:
  struct One {
    ApiAggregation shown;
    Aggregation computed;
  };

  absl::StatusOr<One> ReadOne(const std::string& name, const Json& body) const;
  absl::Status ReadType(const Json& options, One& one) const;
  absl::Status ReadFilters(const Json& options, One& one) const;
  absl::Status AddFilter(const std::string& name, const Json& query, One& one) const;

  const DslIndex& index_;
  AnalyzerPools& analyzers_;
  const size_t max_clauses_;
};

}  // namespace pmdex
