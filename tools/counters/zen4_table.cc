// AMD Zen 4: 6 slots a cycle, 6 counters a thread, none of them fixed. Level 1 has five categories:
// what the other thread of the core takes is one of its own. AMD defines no share of stalls by
// level of cache; fills by where they come from stand in for it.
#include "tools/counters/amd_rows.h"
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& Zen4Table() {
  constexpr std::string_view kZen4Perf = "linux tools/perf amdzen4";
  static const auto* const table = new EventTable{
      .name = "zen4",
      .title = "AMD Zen 4",
      .width = 6,
      .events =
          Joined(AmdEvents(), {{"idle_dispatch", EventType::kRaw, 0x1060001a0,
                                "de_no_dispatch_per_slot.no_ops_from_frontend, cmask 6"},
                               {"restarts", EventType::kRaw, 0x96, "resyncs_or_nc_redirects"}}),
      .groups = AmdGroups(),
      .metrics = Joined(Joined(AmdCommonMetrics(),
                               {{"slots", "slots", "6 * cycles", kZen4Perf},
                                {"frontend_latency", "share of slots", "6 * idle_dispatch / slots",
                                 kZen4Perf, MetricCheck::kFraction}}),
                        AmdTopDown()),
      .level1 = AmdLevel1Nodes(),
      .level2 = AmdLevel2Nodes(),
      .memory = {}};
  return *table;
}

}  // namespace pmdex
