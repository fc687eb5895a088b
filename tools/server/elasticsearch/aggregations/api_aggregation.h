// An aggregation of a request to the Elasticsearch API: what it computes (Aggregation), and what
// its answer looks like. AggregationReader makes it for one index, and WriteAggregations the
// answer. Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

#include "query/aggregations/aggregation.h"
#include "tools/server/elasticsearch/aggregations/date_pattern.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// How an aggregation is shown. `below` is in the order of Aggregation::below.
struct ApiAggregation {
  std::string name;
  std::string type;  // "terms", "avg", ...
  Json meta;         // null: none
  size_t meta_bytes = 0;
  bool keyed = false;
  DatePattern format;
  absl::TimeZone zone = absl::UTCTimeZone();
  std::vector<std::string> keys;  // of ranges ("": made of the bounds) and named filters
  std::vector<ApiAggregation> below;
};

// Indexed alike.
struct ApiAggregations {
  std::vector<ApiAggregation> shown;
  std::vector<Aggregation> computed;
};

}  // namespace pmdex
