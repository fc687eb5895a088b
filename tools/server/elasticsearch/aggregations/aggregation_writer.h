// Writes the answers of aggregations as Elasticsearch does. Stateless but for the budget.
#pragma once

#include <cstdint>
#include <vector>

#include "pmem/status.h"
#include "query/aggregations/aggregation_result.h"
#include "query/deadline.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// What the text of an answer may still take, about, and until when. For one thread.
class AnswerBudget {
 public:
  AnswerBudget(uint64_t bytes, const Deadline& deadline)
      : bytes_left_(bytes), deadline_(deadline) {}

  // To be called before so many bytes are written. False if they must not be, as in every call
  // after that.
  bool Take(uint64_t bytes);
  // kOutOfRange once the bytes were not enough, or kDeadlineExceeded.
  const absl::Status& status() const { return status_; }

 private:
  uint64_t bytes_left_;
  Deadline deadline_;
  absl::Status status_;
};

// {"NAME": {...}, ...}. results: indexed like `shown`. Errors as AnswerBudget::status.
absl::StatusOr<Json> WriteAggregations(const std::vector<ApiAggregation>& shown,
                                       const std::vector<AggregationResult>& results,
                                       AnswerBudget& budget);

}  // namespace pmdex
