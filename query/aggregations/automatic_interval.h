// Chooses the interval of a histogram whose request has none: a round one that gives at most
// kMostAutomaticBuckets buckets from the least to the greatest value of the matches. Pure
// functions.
#pragma once

#include "engine/columns/field_type.h"
#include "query/aggregations/aggregation.h"
#include "query/aggregations/aggregation_result.h"

namespace pmdex {

// True for a histogram without an interval.
bool NeedsInterval(const Aggregation& request);

// Sets the interval of the request. stats: of the field, whose type is `type`. If there are no
// values, or they are not finite, the interval is 1, or a day.
void SettleInterval(const StatsResult& stats, FieldType type, Aggregation& request);

}  // namespace pmdex
