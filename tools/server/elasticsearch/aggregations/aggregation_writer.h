// Writes the answers of aggregations as Elasticsearch does. Stateless but for the budget.
#pragma once

#include <vector>

#include "pmem/status.h"
#include "query/aggregations/aggregation_result.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/answer_budget.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// {"NAME": {...}, ...}. results: indexed like `shown`. Errors as AnswerBudget::status.
absl::StatusOr<Json> WriteAggregations(const std::vector<ApiAggregation>& shown,
                                       const std::vector<AggregationResult>& results,
                                       AnswerBudget& budget);

}  // namespace pmdex
