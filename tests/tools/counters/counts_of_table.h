// Builds the counts of a table from values by event, for tests of metrics.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "tools/counters/event_table.h"
#include "tools/counters/metrics.h"

namespace pmdex {

// Every group counted all the time, in one run of each query. Events without a value count 0, or
// next to nothing if they are never 0.
inline CounterTotals CountsOfTable(const EventTable& table, uint64_t queries,
                                   const std::map<std::string_view, double>& values) {
  CounterTotals totals;
  totals.queries = queries;
  for (const EventGroup& group : table.groups) {
    GroupCounts& counted = totals.groups.emplace_back();
    counted.runs = queries;
    counted.enabled_ns = counted.running_ns = 1'000'000;
    for (const std::string_view event : group.events) {
      const auto value = values.find(event);
      const CounterEvent* const found = table.FindEvent(event);
      const double without = found != nullptr && found->never_zero ? 1e-9 : 0;
      counted.counts.push_back(value == values.end() ? without : value->second);
    }
  }
  return totals;
}

// The value of a metric; nothing if it was not measured or is inconsistent.
inline std::optional<double> MetricOf(const MetricSet& metrics, std::string_view name) {
  const MetricValue* found = metrics.Find(name);
  return found == nullptr ? std::nullopt : std::optional<double>(found->value);
}

// The metrics of these counts that differ from what is expected, with both values.
inline std::map<std::string_view, std::pair<double, double>> WrongMetrics(
    const EventTable& table, const std::map<std::string_view, double>& counts,
    const std::map<std::string_view, double>& expected) {
  const auto metrics = ComputeMetrics(table, CountsOfTable(table, 10, counts));
  std::map<std::string_view, std::pair<double, double>> wrong;
  for (const auto& [name, value] : expected) {
    const double found = metrics.ok() ? MetricOf(*metrics, name).value_or(-1) : -1;
    if (found < value - 1e-9 || found > value + 1e-9) wrong[name] = {found, value};
  }
  return wrong;
}

}  // namespace pmdex
