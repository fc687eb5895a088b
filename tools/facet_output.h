// Formats the facets of a search as JSON and as text. Stateless.
#pragma once

#include <string>
#include <vector>

#include "query/aggregations/aggregation_result.h"
#include "tools/json_writer.h"

namespace pmdex {

// An array with an element for each facet: {"field", "type", "exact"} and "buckets": [{"key",
// "count"}], or "min", "max", "avg", "sum" and "count", or "value", or "values". Buckets of ranges
// have "from" and "to" in place of a key. Terms have "other", the documents of the terms that are
// not shown. A bucket with facets of its own has them as "facets".
void WriteFacets(const std::vector<AggregationResult>& facets, JsonWriter& json);

// A line for each facet and each bucket.
void AppendFacets(const std::vector<AggregationResult>& facets, int depth, std::string& out);

}  // namespace pmdex
