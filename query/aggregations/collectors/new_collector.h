// Makes the collector of an aggregation, with those of the aggregations below it. Stateless.
#pragma once

#include <memory>

#include "query/aggregations/bound_aggregation.h"
#include "query/aggregations/collectors/collector.h"

namespace pmdex {

// `bound` must outlive the collector.
std::unique_ptr<Collector> NewCollector(const BoundAggregation& bound);

}  // namespace pmdex
