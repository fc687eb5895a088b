// AMD Zen 5: 8 slots a cycle, 6 counters a thread, none of them fixed. The rows are those of Zen 4,
// whose codes Linux has for Zen 5, too (tools/perf/pmu-events/arch/x86/amdzen5). They have not been
// confirmed on hardware.
#include "tools/counters/amd_rows.h"
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& Zen5Table() {
  constexpr std::string_view kZen5Perf = "linux tools/perf amdzen5";
  static const auto* const table = new EventTable{
      .name = "zen5",
      .title = "AMD Zen 5",
      .width = 8,
      .events = Joined(AmdEvents(), {{"idle_dispatch", EventType::kRaw, 0x1080001a0,
                                      "de_no_dispatch_per_slot.no_ops_from_frontend, cmask 8"},
                                     {"restarts", EventType::kRaw, 0x019f, "bp_redirects.resync"}}),
      .groups = AmdGroups(),
      .metrics = Joined(Joined(AmdCommonMetrics(),
                               {{"slots", "slots", "8 * cycles", kZen5Perf},
                                {"frontend_latency", "share of slots", "8 * idle_dispatch / slots",
                                 kZen5Perf, MetricCheck::kFraction}}),
                        AmdTopDown()),
      .level1 = AmdLevel1Nodes(),
      .level2 = AmdLevel2Nodes(),
      .memory = {}};
  return *table;
}

}  // namespace pmdex
