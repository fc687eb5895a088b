// Reads the options of each type of aggregation of the Elasticsearch API. Pure functions. They
// return an ApiError that names what is wrong.
#pragma once

#include <string_view>

#include "pmem/status.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// options: an object whose keys are known. They (but for dates, see aggregation_dates.h) set what
// the type needs in `shown` and `computed`, whose name and field are there.
absl::Status ReadTermsOptions(const Json& options, Aggregation& computed);
absl::Status ReadHistogramOptions(const Json& options, ApiAggregation& shown,
                                  Aggregation& computed);
absl::Status ReadDateHistogramOptions(const Json& options, ApiAggregation& shown,
                                      Aggregation& computed);
absl::Status ReadRangeOptions(const Json& options, ApiAggregation& shown, Aggregation& computed);
absl::Status ReadPercentilesOptions(const Json& options, ApiAggregation& shown,
                                    Aggregation& computed);

// Notes which ends extended_bounds have: a `min`, a `max`, both or neither. Requires that the
// options have extended_bounds. An error if they have anything else.
absl::Status CheckExtendedBounds(const Json& options, Aggregation& computed);
// The error of extended_bounds whose `min` is greater than their `max`. name: of the aggregation.
absl::Status ReversedBounds(const Json& bounds, std::string_view name);

// An error if a text that every bucket of the answer may repeat is longer than 1 KiB. what: for the
// error.
absl::Status CheckTextLength(const char* what, std::string_view text);

// The order of terms, once the aggregations below are known.
absl::Status ReadTermsOrder(const Json& order, const ApiAggregation& shown, Aggregation& computed);

}  // namespace pmdex
