// The counts of whole threads, which belong to no query: added up over readings, and turned into
// metrics. For builds and running processes. Thread-safe: no state.
#pragma once

#include <vector>

#include "pmem/status.h"
#include "tools/counters/counter_source.h"
#include "tools/counters/event_table.h"
#include "tools/counters/metrics.h"

namespace pmdex {

std::vector<CounterEvent> EventsOfGroup(const EventTable& table, const EventGroup& group);

// Adds what a group has counted between two readings, as one run.
void AddDifference(const CounterReading& begin, const CounterReading& end, GroupCounts& counts);

// Shares and ratios; none that is divided by queries, or computed from such a one. counted: indexed
// like EventTable::groups. The metrics point into the table.
absl::StatusOr<MetricSet> MetricsOfThreads(const EventTable& table,
                                           const std::vector<GroupCounts>& counted);

}  // namespace pmdex
