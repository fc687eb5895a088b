// Turns counts into the metrics of a table, and tells which of them cannot be right. Thread-safe:
// no state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/event_table.h"

namespace pmdex {

// What one group of a table counted in its pass.
struct GroupCounts {
  uint64_t runs = 0;  // how many queries ran while the group counted
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;     // less than enabled_ns: others took the counters meanwhile
  std::vector<double> counts;  // indexed like EventGroup::events
};

// The counts of some queries.
struct CounterTotals {
  uint64_t queries = 0;
  std::vector<GroupCounts> groups;       // indexed like EventTable::groups; runs 0: not counted
  std::map<std::string, double> others;  // by name, for `queries` queries: wall_ns, user_ns
  bool took_turns = false;  // the groups counted different work; else the same, in passes over it
};

struct MetricValue {
  const MetricRow* row = nullptr;
  double value = 0;
};

struct InconsistentMetric {
  std::string name;
  std::string unit;  // as MetricRow has it
  double value = 0;
  std::string why;
};

struct MetricSet {
  std::vector<MetricValue> values;               // in the table's order; only what was measured
  std::vector<InconsistentMetric> inconsistent;  // computed, but not among `values`

  const MetricValue* Find(std::string_view name) const;  // nullptr: not measured
};

// Passes over the same queries whose cycles differ by more cannot be combined: the greater are
// divided by the lesser.
inline constexpr double kMostPassDifference = 0.25;

// The sum of the categories of level 1 may be so far from 1, and a share so far outside 0 to 1.
inline constexpr double kSumTolerance = 0.02;

// The counts by event, as if all groups had counted in one pass over the queries: scaled to the
// runs and to the cycles of the first group. A group that never ran, or only a part of the time, or
// that is broken counts as not measured.
using EventCounts = std::map<std::string, double, std::less<>>;
EventCounts CountsByEvent(const EventTable& table, const CounterTotals& totals);

// Evaluates every row of the table over CountsByEvent. If the categories of level 1 do not add up
// to 1, the parts of one of them to no more than it, the levels of memory to no more than all
// cycles, or if a share is not between 0 and 1, the row and every row that uses it are
// inconsistent. So is a row that combines events of groups whose passes differ by more than
// kMostPassDifference, unless they took turns; cycles are in each group, so that they may stand
// beside any other event. Returns an error only if a formula of the table is malformed.
absl::StatusOr<MetricSet> ComputeMetrics(const EventTable& table, const CounterTotals& totals);

// A PMU, of a virtual machine mostly, can count cycles and leave other events at 0. Indexed like
// EventTable::groups: true if the group has cycles, and an event that is never 0 stayed 0, or if
// there is such a group and this one has nothing but what every PMU counts.
std::vector<bool> BrokenGroups(const EventTable& table, const CounterTotals& totals);

// What to tell the user about groups that are left out; empty: none is.
std::vector<std::string> DroppedGroups(const EventTable& table, const CounterTotals& totals);

// The same, and which passes took so many other cycles than the first one that metrics which
// combine both are inconsistent.
std::vector<std::string> CountingFaults(const EventTable& table, const CounterTotals& totals);

// What makes consistent metrics doubtful: levels of memory, which are shares of cycles, that add up
// to far more than memory bound, which is a share of slots. Empty: nothing.
std::vector<std::string> DoubtsOf(const EventTable& table, const MetricSet& metrics);

}  // namespace pmdex
