// Reads the flag --facet of `pmdex search`:
//
//   FIELD[:TYPE[:ARGUMENT]]   ext   size:histogram:1M   time:date_histogram:1d   size:range:0,1K,1M
//   FIELD...>FIELD...         the second facet for each bucket of the first: ext>size:stats
//
// The types are terms, histogram, date_histogram, range, stats, min, max, avg, sum, cardinality and
// percentiles. docs/AGGREGATIONS.md says what they mean. Stateless.
#pragma once

#include <string_view>

#include "pmem/status.h"
#include "query/aggregations/aggregation.h"
#include "query/aggregations/aggregation_result.h"

namespace pmdex {

// kInvalidArgument if the text is no facet.
absl::StatusOr<Aggregation> ParseFacet(std::string_view text);

// The name of the type of a facet: "terms".
std::string_view FacetTypeName(const AggregationResult& facet);

}  // namespace pmdex
