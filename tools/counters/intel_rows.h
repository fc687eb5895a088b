// Rows that the tables of several Intel server CPUs share. Sources: intel/perfmon event files (SKX
// V1.37, CLX V1.25, ICX V1.30, SPR V1.39) and pmu-tools' *_server_ratios.py 5.1-full.
#pragma once

#include <string_view>
#include <vector>

#include "tools/counters/event_table.h"

namespace pmdex {

// Cycles, instructions and branches, and where retired loads found their data. without_pmm: the CPU
// has no events for persistent memory.
std::vector<CounterEvent> IntelCommonEvents(bool without_pmm);
// The groups of these events beside cycles. mlp_events: names of two more events of the table that
// are counted with L1D_PEND_MISS.
std::vector<EventGroup> IntelCommonGroups(bool without_pmm);
// IPC, misses per 1,000 instructions, and how loads overlap.
std::vector<MetricRow> IntelCommonMetrics();
// The rest of level 1's nodes at level 2, over frontend_latency and heavy_operations, which the
// table puts before them.
std::vector<MetricRow> IntelLevel2();
std::vector<std::string_view> IntelLevel2Nodes();
// The split of `external_memory_bound` into DRAM and persistent memory or CXL. Without such events
// all of it is DRAM. pm_title: of `pm_bound`, where its events count more than persistent memory.
std::vector<MetricRow> IntelMemorySplit(bool without_pmm, std::string_view pm_title = {});

}  // namespace pmdex
