// Writes the answers of aggregations as Elasticsearch does. Stateless.
#pragma once

#include <vector>

#include "query/aggregations/aggregation_result.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// {"NAME": {...}, ...}. results: indexed like `shown`.
Json WriteAggregations(const std::vector<ApiAggregation>& shown,
                       const std::vector<AggregationResult>& results);

}  // namespace pmdex
