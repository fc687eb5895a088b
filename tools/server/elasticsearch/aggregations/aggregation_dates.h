// Reads the dates that a request gives to an aggregation: the bounds of date_range and the
// extended_bounds of date_histogram. Date math is allowed. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"

#include "pmem/status.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/dsl/dsl_scope.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// options: those of the aggregation. Dates are read in their "format", without one in that of the
// field's mapping, and in a field without a mapping in every form that dates have (date_math.h).
// Returns an ApiError that names a format or a date that cannot be read.

// Replaces the bounds by what they mean, in RFC 3339, where the field has dates with a format.
// reads_numbers: numbers have the format, too, as in date_range; in range they are milliseconds.
absl::Status ReadDateRanges(const DslIndex& index, const Json& options, bool reads_numbers,
                            Aggregation& computed);

// Reads extended_bounds, if there are any. zone: of dates without one of their own.
absl::Status ReadExtendedDates(const DslIndex& index, const Json& options,
                               const absl::TimeZone& zone, Aggregation& computed);

}  // namespace pmdex
