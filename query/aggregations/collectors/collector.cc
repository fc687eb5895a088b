#include "query/aggregations/collectors/collector.h"

#include <limits>

namespace pmdex {

double Collector::Metric(uint32_t /*parent*/, const MetricName& /*name*/) const {
  return std::numeric_limits<double>::quiet_NaN();
}

double Collector::MetricBelow(uint32_t parent, std::span<const size_t> path,
                              const MetricName& name) const {
  return path.empty() ? Metric(parent, name) : std::numeric_limits<double>::quiet_NaN();
}

AggregationResult Collector::EmptyResult() const {
  AggregationResult result;
  result.kind = request().kind;
  result.field = request().field;
  result.type = bound_.type;
  result.percents = request().percents;
  result.shown = request().shown;
  return result;
}

const ColumnView* Collector::FindColumn(const Segment& segment) const {
  if (!bound_.has_field) return nullptr;
  const ColumnView* const column = segment.FindColumn(request().field);
  return column == nullptr || column->type() != bound_.type ? nullptr : column;
}

}  // namespace pmdex
