// Rows that the tables of AMD Zen 4 and Zen 5 share. Sources: linux tools/perf pmu-events amdzen4
// and amdzen5.
#pragma once

#include <string_view>
#include <vector>

#include "tools/counters/event_table.h"

namespace pmdex {

std::vector<CounterEvent> AmdEvents();
// Six counters a thread: each group has at most six events, cycles included. The table has the
// events `idle_dispatch` and `restarts`, which depend on the core.
std::vector<EventGroup> AmdGroups();
// Everything but the metrics of slots, which depend on the width of the core.
std::vector<MetricRow> AmdCommonMetrics();
// Level 1 and 2 over the metrics `slots` and `frontend_latency`, which the table puts before them.
std::vector<MetricRow> AmdTopDown();
std::vector<std::string_view> AmdLevel1Nodes();
std::vector<std::string_view> AmdLevel2Nodes();

}  // namespace pmdex
