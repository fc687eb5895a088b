#include "tools/profile/thread_metrics.h"

#include <algorithm>
#include <set>
#include <string>

#include "tools/counters/formula.h"

namespace pmdex {
namespace {

// The metrics that say nothing of threads: divided by queries, or computed from such a one.
std::set<std::string> MetricsByQuery(const EventTable& table) {
  std::set<std::string> by_query = {"queries"};
  for (const MetricRow& row : table.metrics) {
    const std::vector<std::string> names = NamesInFormula(row.formula);
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return by_query.contains(name); })) {
      by_query.emplace(row.name);
    }
  }
  return by_query;
}

}  // namespace

std::vector<CounterEvent> EventsOfGroup(const EventTable& table, const EventGroup& group) {
  std::vector<CounterEvent> events;
  for (const std::string_view name : group.events) events.push_back(*table.FindEvent(name));
  return events;
}

void AddDifference(const CounterReading& begin, const CounterReading& end, GroupCounts& counts) {
  counts.runs = 1;
  counts.enabled_ns += end.enabled_ns - begin.enabled_ns;
  counts.running_ns += end.running_ns - begin.running_ns;
  counts.counts.resize(end.counts.size());
  for (size_t i = 0; i < end.counts.size() && i < begin.counts.size(); ++i) {
    counts.counts[i] += static_cast<double>(end.counts[i] - begin.counts[i]);
  }
}

absl::StatusOr<MetricSet> MetricsOfThreads(const EventTable& table,
                                           const std::vector<GroupCounts>& counted) {
  CounterTotals totals;
  totals.queries = 1;
  totals.groups = counted;
  totals.took_turns = true;
  PMDEX_ASSIGN_OR_RETURN(MetricSet metrics, ComputeMetrics(table, totals));
  const std::set<std::string> by_query = MetricsByQuery(table);
  std::erase_if(metrics.values, [&](const MetricValue& metric) {
    return by_query.contains(std::string(metric.row->name));
  });
  return metrics;
}

}  // namespace pmdex
