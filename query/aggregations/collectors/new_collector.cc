#include "query/aggregations/collectors/new_collector.h"

#include <utility>

#include "query/aggregations/collectors/filters_collector.h"
#include "query/aggregations/collectors/histogram_collector.h"
#include "query/aggregations/collectors/metric_collectors.h"
#include "query/aggregations/collectors/range_collector.h"
#include "query/aggregations/collectors/terms_collector.h"

namespace pmdex {

std::unique_ptr<Collector> NewCollector(const BoundAggregation& bound) {
  Collectors below;
  for (const BoundAggregation& inner : bound.below) below.push_back(NewCollector(inner));
  switch (bound.request->kind) {
    case AggregationKind::kTerms:
      return std::make_unique<TermsCollector>(bound, std::move(below));
    case AggregationKind::kHistogram:
    case AggregationKind::kDateHistogram:
      return std::make_unique<HistogramCollector>(bound, std::move(below));
    case AggregationKind::kRange:
      return std::make_unique<RangeCollector>(bound, std::move(below));
    case AggregationKind::kFilters:
      return std::make_unique<FiltersCollector>(bound, std::move(below));
    case AggregationKind::kStats:
      return std::make_unique<StatsCollector>(bound);
    case AggregationKind::kCardinality:
      return std::make_unique<CardinalityCollector>(bound);
    case AggregationKind::kPercentiles:
      return std::make_unique<PercentilesCollector>(bound);
  }
  return nullptr;
}

}  // namespace pmdex
