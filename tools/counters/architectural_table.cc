// The events to which the kernel gives a name on every PMU (perf_event_open(2),
// PERF_COUNT_HW_*). They give no top-down breakdown.
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& ArchitecturalTable() {
  constexpr std::string_view kMan = "perf_event_open(2)";
  static const auto* const table = new EventTable{
      .name = "architectural",
      .title = "a CPU without a table: events that every PMU has",
      .events = {{"cycles", EventType::kHardware, 0, "PERF_COUNT_HW_CPU_CYCLES"},
                 {"instructions", EventType::kHardware, 1, "PERF_COUNT_HW_INSTRUCTIONS", true},
                 {"cache_references", EventType::kHardware, 2, "PERF_COUNT_HW_CACHE_REFERENCES"},
                 {"cache_misses", EventType::kHardware, 3, "PERF_COUNT_HW_CACHE_MISSES"},
                 {"branches", EventType::kHardware, 4, "PERF_COUNT_HW_BRANCH_INSTRUCTIONS"},
                 {"branch_misses", EventType::kHardware, 5, "PERF_COUNT_HW_BRANCH_MISSES"}},
      .groups = {{"cache", {"cycles", "instructions", "cache_references", "cache_misses"}},
                 {"branches", {"cycles", "instructions", "branches", "branch_misses"}}},
      .metrics = {{"cycles_per_query", "per query", "cycles / queries", kMan},
                  {"instructions_per_query", "per query", "instructions / queries", kMan},
                  {"ipc", "instructions per cycle", "instructions / cycles", kMan},
                  {"branch_misses_per_1000", "per 1,000 instructions",
                   "1000 * branch_misses / instructions", kMan},
                  {"branch_miss_share", "share of branches", "branch_misses / branches", kMan,
                   MetricCheck::kFraction},
                  // What the kernel counts as cache misses differs from CPU to CPU; on most it is
                  // the last level.
                  {"cache_misses_per_1000", "per 1,000 instructions",
                   "1000 * cache_misses / instructions", kMan}},
      .level1 = {},
      .level2 = {},
      .memory = {}};
  return *table;
}

}  // namespace pmdex
