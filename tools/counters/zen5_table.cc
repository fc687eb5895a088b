// AMD Zen 5: 8 slots a cycle, 6 counters a thread, none of them fixed. The rows are those of Zen 4,
// whose codes Linux has for Zen 5, too (tools/perf/pmu-events/arch/x86/amdzen5). They have not been
// confirmed on hardware.
#include "tools/counters/amd_rows.h"
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& Zen5Table() {
  static const auto* const table = new EventTable{
      .name = "zen5",
      .title = "AMD Zen 5",
      .width = 8,
      .events = Joined(AmdEvents(), {{"no_ops_c8", EventType::kRaw, 0x1080001a0,
                                      "de_no_dispatch_per_slot.no_ops_from_frontend, cmask 8"}}),
      .groups = Joined(AmdGroups(), {{"frontend latency", {"cycles", "no_ops_c8"}}}),
      .metrics = Joined(Joined(Joined(AmdCommonMetrics(), {{"slots", "slots", "8 * cycles",
                                                            "linux tools/perf amdzen5"}}),
                               AmdTopDown()),
                        {{"frontend_latency", "share of slots", "8 * no_ops_c8 / slots",
                          "linux tools/perf amdzen5", MetricCheck::kFraction}}),
      .level1 = {"retiring", "bad_speculation", "frontend_bound", "backend_bound",
                 "smt_contention_share"},
      .level2 = {"memory_bound", "core_bound", "frontend_latency"},
      .memory = {}};
  return *table;
}

}  // namespace pmdex
