// What the kernel counts for a thread without a PMU (perf_event_open(2), PERF_COUNT_SW_*), and the
// times and switches of getrusage(2). Switches are not counted as events: a user may count only
// what happens in user space, and there a switch never happens, so that the event stays 0.
#include "tools/counters/event_table.h"

namespace pmdex {

const EventTable& SoftwareTable() {
  constexpr std::string_view kMan = "perf_event_open(2)";
  constexpr std::string_view kFaults = "perf_event_open(2), getrusage(2) where that is refused";
  constexpr std::string_view kRusage = "getrusage(2), RUSAGE_THREAD";
  static const auto* const table = new EventTable{
      .name = "software",
      .title = "software events of the kernel",
      .events = {{"task_clock_ns", EventType::kSoftware, 1, "PERF_COUNT_SW_TASK_CLOCK"},
                 {"page_faults", EventType::kSoftware, 2, "PERF_COUNT_SW_PAGE_FAULTS"},
                 {"minor_faults", EventType::kSoftware, 5, "PERF_COUNT_SW_PAGE_FAULTS_MIN"},
                 {"major_faults", EventType::kSoftware, 6, "PERF_COUNT_SW_PAGE_FAULTS_MAJ"}},
      .groups = {{"software",
                  // A group that task-clock leads counts no faults on Linux 6.18.
                  {"page_faults", "task_clock_ns", "minor_faults", "major_faults"}}},
      .metrics = {{"time_us", "us per query", "wall_ns / queries / 1000", "CLOCK_MONOTONIC"},
                  {"task_clock_us", "us per query", "task_clock_ns / queries / 1000", kMan},
                  {"user_us", "us per query", "user_ns / queries / 1000", kRusage},
                  {"system_us", "us per query", "system_ns / queries / 1000", kRusage},
                  {"page_faults_per_query", "per query", "page_faults / queries", kFaults},
                  {"first_page_faults_per_query", "per query", "first_page_faults / queries",
                   kFaults},
                  {"minor_faults_per_query", "per query", "minor_faults / queries", kFaults},
                  {"major_faults_per_query", "per query", "major_faults / queries", kFaults},
                  {"switches_per_query", "per query", "switches / queries", kRusage}},
      .level1 = {},
      .level2 = {},
      .memory = {}};
  return *table;
}

}  // namespace pmdex
