// What callgrind counts while it simulates the caches of this machine (valgrind's manual, chapter
// 6.2). It has no time, no prefetching and no speculation.
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& SimulatedTable() {
  constexpr std::string_view kManual = "callgrind, valgrind's manual";
  static const auto* const table = new EventTable{
      .name = "simulated",
      .title = "caches simulated by callgrind",
      .events = {{"instructions", EventType::kSimulated, 0, "Ir"},
                 {"data_reads", EventType::kSimulated, 1, "Dr"},
                 {"data_writes", EventType::kSimulated, 2, "Dw"},
                 {"i1_misses", EventType::kSimulated, 3, "I1mr"},
                 {"d1_read_misses", EventType::kSimulated, 4, "D1mr"},
                 {"d1_write_misses", EventType::kSimulated, 5, "D1mw"},
                 {"ll_instruction_misses", EventType::kSimulated, 6, "ILmr"},
                 {"ll_read_misses", EventType::kSimulated, 7, "DLmr"},
                 {"ll_write_misses", EventType::kSimulated, 8, "DLmw"}},
      .groups = {{"callgrind",
                  {"instructions", "data_reads", "data_writes", "i1_misses", "d1_read_misses",
                   "d1_write_misses", "ll_instruction_misses", "ll_read_misses",
                   "ll_write_misses"}}},
      .metrics = {{"instructions_per_query", "per query", "instructions / queries", kManual},
                  {"data_reads_per_query", "per query", "data_reads / queries", kManual},
                  {"data_writes_per_query", "per query", "data_writes / queries", kManual},
                  {"d1_read_misses_per_query", "per query", "d1_read_misses / queries", kManual},
                  {"ll_read_misses_per_query", "per query", "ll_read_misses / queries", kManual},
                  {"l1_misses_per_1000", "per 1,000 instructions",
                   "1000 * (d1_read_misses + d1_write_misses) / instructions", kManual},
                  {"llc_misses_per_1000", "per 1,000 instructions",
                   "1000 * (ll_read_misses + ll_write_misses) / instructions", kManual},
                  {"ll_miss_share_of_reads", "share of reads", "ll_read_misses / data_reads",
                   kManual, MetricCheck::kFraction}},
      .level1 = {},
      .level2 = {},
      .memory = {}};
  return *table;
}

}  // namespace pmdex
