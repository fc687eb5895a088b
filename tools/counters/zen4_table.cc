// AMD Zen 4: 6 slots a cycle, 6 counters a thread, none of them fixed. Level 1 has five categories:
// what the other thread of the core takes is one of its own. AMD defines no share of stalls by
// level of cache; fills by where they come from stand in for it.
#include "tools/counters/amd_rows.h"
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& Zen4Table() {
  static const auto* const table = new EventTable{
      .name = "zen4",
      .title = "AMD Zen 4",
      .width = 6,
      .events = Joined(AmdEvents(), {{"no_ops_c6", EventType::kRaw, 0x1060001a0,
                                      "de_no_dispatch_per_slot.no_ops_from_frontend, cmask 6"}}),
      .groups = Joined(AmdGroups(), {{"frontend latency", {"cycles", "no_ops_c6"}}}),
      .metrics = Joined(Joined(Joined(AmdCommonMetrics(), {{"slots", "slots", "6 * cycles",
                                                            "linux tools/perf amdzen4"}}),
                               AmdTopDown()),
                        {{"frontend_latency", "share of slots", "6 * no_ops_c6 / slots",
                          "linux tools/perf amdzen4", MetricCheck::kFraction}}),
      .level1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound",
                 "smt_contention_share"},
      .level2 = {"memory_bound", "core_bound", "frontend_latency"},
      .memory = {}};
  return *table;
}

}  // namespace pmdex
