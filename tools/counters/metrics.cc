#include "tools/counters/metrics.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/counters/formula.h"
#include "tools/counters/top_down_nodes.h"

namespace pmdex {
namespace {

// Counters of a group that ran less than this part of the time were shared out in turns.
constexpr double kLeastRunning = 0.999;
// A CPU that waits for a load can still take new operations, so that the levels of memory take some
// more of the cycles than memory bound takes of the slots.
constexpr double kMostExcess = 0.15;

bool HasCounted(const GroupCounts& group) {
  return group.runs > 0 && group.running_ns > 0 &&
         static_cast<double>(group.running_ns) >=
             kLeastRunning * static_cast<double>(group.enabled_ns);
}

// The cycles of one query in the pass of the group; 0 if the group does not count cycles.
double CyclesOf(const EventGroup& group, const GroupCounts& counted) {
  for (size_t i = 0; i < group.events.size() && i < counted.counts.size(); ++i) {
    if (group.events[i] == "cycles") {
      return counted.counts[i] / static_cast<double>(counted.runs);
    }
  }
  return 0;
}

// An event of the group that stayed 0 although it cannot, while cycles were counted; nullptr: none.
const CounterEvent* MissingEvent(const EventTable& table, const EventGroup& group,
                                 const GroupCounts& counted) {
  if (CyclesOf(group, counted) <= 0) return nullptr;
  for (size_t i = 0; i < group.events.size() && i < counted.counts.size(); ++i) {
    const CounterEvent* const event = table.FindEvent(group.events[i]);
    if (event != nullptr && event->never_zero && counted.counts[i] == 0) return event;
  }
  return nullptr;
}

// Every event but cycles, and those that would have shown a broken PMU, is 0.
bool HasOnlyCommonEvents(const EventTable& table, const EventGroup& group,
                         const GroupCounts& counted) {
  if (CyclesOf(group, counted) <= 0) return false;
  for (size_t i = 0; i < group.events.size() && i < counted.counts.size(); ++i) {
    const CounterEvent* const event = table.FindEvent(group.events[i]);
    const bool is_common = event == nullptr || event->never_zero || event->name == "cycles";
    if (!is_common && counted.counts[i] > 0) return false;
  }
  return true;
}

// One pass over the queries.
struct CountedPass {
  std::string_view group;
  double cycles = 0;  // of a query
};

// By event but cycles, which every group has: the pass that CountsByEvent takes it from. Events of
// groups without cycles are not there.
std::map<std::string, CountedPass, std::less<>> PassesByEvent(const EventTable& table,
                                                              const CounterTotals& totals) {
  std::map<std::string, CountedPass, std::less<>> passes;
  const std::vector<bool> broken = BrokenGroups(table, totals);
  for (size_t g = 0; g < table.groups.size() && g < totals.groups.size(); ++g) {
    if (broken[g] || !HasCounted(totals.groups[g])) continue;
    const double cycles = CyclesOf(table.groups[g], totals.groups[g]);
    for (const std::string_view event : table.groups[g].events) {
      if (event != "cycles" && cycles > 0) {
        passes.emplace(event, CountedPass{table.groups[g].name, cycles});
      }
    }
  }
  return passes;
}

EventCounts ValuesOf(const EventTable& table, const CounterTotals& totals) {
  EventCounts values = CountsByEvent(table, totals);
  for (const auto& [name, value] : totals.others) values.emplace(name, value);
  values.emplace("queries", static_cast<double>(totals.queries));
  return values;
}

class MetricEvaluation {
 public:
  MetricEvaluation(const EventTable& table, const CounterTotals& totals)
      : table_(table), values_(ValuesOf(table, totals)) {
    if (!totals.took_turns) passes_ = PassesByEvent(table, totals);
  }

  absl::StatusOr<MetricSet> Run() {
    for (const MetricRow& row : table_.metrics) {
      PMDEX_ASSIGN_OR_RETURN(
          const std::optional<double> value,
          EvaluateFormula(row.formula, [&](std::string_view name) { return ValueOf(name); }));
      if (value.has_value()) Take(row, *value);
    }
    CheckSum();
    CheckParts();
    CheckMemoryLevels();
    CheckPasses();
    FlagDependants();
    return Result();
  }

 private:
  struct Computed {
    const MetricRow* row;
    double value;
    std::string why;  // empty: consistent
  };

  std::optional<double> ValueOf(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional<double>(found->second);
  }

  void Take(const MetricRow& row, double value) {
    const bool is_off = row.check == MetricCheck::kFraction &&
                        (value < -kSumTolerance || value > 1 + kSumTolerance);
    computed_.push_back({&row, value, is_off ? "a share outside 0 to 1" : ""});
    values_.emplace(row.name, value);
  }

  // The categories of level 1 take every slot, so that they add up to 1.
  void CheckSum() {
    double sum = 0;
    for (const std::string_view name : table_.level1) {
      const std::optional<double> value = ValueOf(name);
      if (!value.has_value()) return;
      sum += *value;
    }
    if (table_.level1.empty() || std::abs(sum - 1) < kSumTolerance) return;
    for (Computed& metric : computed_) {
      const bool in_sum = std::find(table_.level1.begin(), table_.level1.end(), metric.row->name) !=
                          table_.level1.end();
      if (in_sum && metric.why.empty()) {
        metric.why = absl::StrFormat("the categories of level 1 add up to %.3f", sum);
      }
    }
  }

  // What the measured ones of these take; those below 0 are judged by their own check.
  std::optional<double> SumOf(std::span<const std::string_view> names) const {
    std::optional<double> sum;
    for (const std::string_view name : names) {
      const std::optional<double> value = ValueOf(name);
      if (value.has_value()) sum = sum.value_or(0) + std::max(*value, 0.0);
    }
    return sum;
  }

  void Flag(std::span<const std::string_view> names, const std::string& why) {
    for (Computed& metric : computed_) {
      if (metric.why.empty() &&
          std::find(names.begin(), names.end(), metric.row->name) != names.end()) {
        metric.why = why;
      }
    }
  }

  // Level 2 divides the categories of level 1. Some rows have no value below 0, so that a part
  // which is more than the whole shows in the sum only.
  void CheckParts() {
    for (const std::string_view node : table_.level1) {
      const std::span<const std::string_view> parts = PartsOfNode(node);
      const std::optional<double> whole = ValueOf(node);
      const std::optional<double> sum = SumOf(parts);
      if (!whole.has_value() || !sum.has_value() || *sum <= *whole + kSumTolerance) continue;
      Flag(parts,
           absl::StrFormat("the parts of %s add up to %.3f, and it is %.3f", node, *sum, *whole));
    }
  }

  // The stalls for each level are different cycles.
  void CheckMemoryLevels() {
    const std::optional<double> sum = SumOf(table_.memory);
    if (!sum.has_value() || *sum <= 1 + kSumTolerance) return;
    Flag(table_.memory, absl::StrFormat("the levels of memory add up to %.3f of the cycles", *sum));
  }

  // The least and the most cycles of the passes that a metric combines.
  struct PassRange {
    CountedPass least;
    CountedPass most;
    void Add(const CountedPass& pass) {
      if (least.cycles == 0 || pass.cycles < least.cycles) least = pass;
      if (pass.cycles > most.cycles) most = pass;
    }
  };

  // Counts of a pass say nothing of another one that did other work, whatever they are scaled by.
  void CheckPasses() {
    std::map<std::string, PassRange, std::less<>> ranges;  // by metric
    for (Computed& metric : computed_) {
      PassRange range;
      for (const std::string& name : NamesInFormula(metric.row->formula)) {
        if (const auto pass = passes_.find(name); pass != passes_.end()) range.Add(pass->second);
        const auto of_metric = ranges.find(name);
        if (of_metric == ranges.end() || of_metric->second.least.cycles == 0) continue;
        range.Add(of_metric->second.least);
        range.Add(of_metric->second.most);
      }
      ranges.emplace(metric.row->name, range);
      if (!metric.why.empty() ||
          range.most.cycles <= (1 + kMostPassDifference) * range.least.cycles) {
        continue;
      }
      metric.why = absl::StrFormat(
          "the pass of the group '%s' took %.2f times the cycles of that of '%s'", range.most.group,
          range.most.cycles / range.least.cycles, range.least.group);
    }
  }

  void FlagDependants() {
    std::map<std::string, std::string> flagged;  // by metric: why
    const bool level1_is_off =
        std::any_of(computed_.begin(), computed_.end(), [&](const Computed& metric) {
          return !metric.why.empty() && std::find(table_.level1.begin(), table_.level1.end(),
                                                  metric.row->name) != table_.level1.end();
        });
    for (Computed& metric : computed_) {
      const bool in_level1 = std::find(table_.level1.begin(), table_.level1.end(),
                                       metric.row->name) != table_.level1.end();
      if (metric.why.empty() && in_level1 && level1_is_off) {
        metric.why = "another category of level 1 is inconsistent";
      }
      for (const std::string& name : NamesInFormula(metric.row->formula)) {
        if (metric.why.empty() && flagged.contains(name)) {
          metric.why = absl::StrCat("computed from ", name, ", which is inconsistent");
        }
      }
      if (!metric.why.empty()) flagged.emplace(metric.row->name, metric.why);
    }
  }

  MetricSet Result() const {
    MetricSet set;
    for (const Computed& metric : computed_) {
      if (metric.why.empty()) {
        set.values.push_back({metric.row, metric.value});
      } else {
        set.inconsistent.push_back({std::string(metric.row->name), std::string(metric.row->unit),
                                    metric.value, metric.why});
      }
    }
    return set;
  }

  const EventTable& table_;
  EventCounts values_;
  std::map<std::string, CountedPass, std::less<>> passes_;
  std::vector<Computed> computed_;
};

}  // namespace

const MetricValue* MetricSet::Find(std::string_view name) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](const MetricValue& value) {
    return value.row->name == name;
  });
  return found == values.end() ? nullptr : &*found;
}

EventCounts CountsByEvent(const EventTable& table, const CounterTotals& totals) {
  EventCounts values;
  double reference_cycles = 0;
  const std::vector<bool> broken = BrokenGroups(table, totals);
  for (size_t g = 0; g < table.groups.size() && g < totals.groups.size(); ++g) {
    const GroupCounts& counted = totals.groups[g];
    if (broken[g] || !HasCounted(counted)) continue;
    const double cycles = CyclesOf(table.groups[g], counted);
    if (reference_cycles == 0) reference_cycles = cycles;
    const double scale = static_cast<double>(totals.queries) / static_cast<double>(counted.runs) *
                         (cycles > 0 ? reference_cycles / cycles : 1.0);
    const auto& events = table.groups[g].events;
    for (size_t i = 0; i < events.size() && i < counted.counts.size(); ++i) {
      values.emplace(events[i], counted.counts[i] * scale);
    }
  }
  return values;
}

absl::StatusOr<MetricSet> ComputeMetrics(const EventTable& table, const CounterTotals& totals) {
  return MetricEvaluation(table, totals).Run();
}

std::vector<bool> BrokenGroups(const EventTable& table, const CounterTotals& totals) {
  std::vector<bool> broken(table.groups.size(), false);
  bool any = false;
  for (size_t g = 0; g < table.groups.size() && g < totals.groups.size(); ++g) {
    broken[g] = HasCounted(totals.groups[g]) &&
                MissingEvent(table, table.groups[g], totals.groups[g]) != nullptr;
    any = any || broken[g];
  }
  for (size_t g = 0; any && g < table.groups.size() && g < totals.groups.size(); ++g) {
    broken[g] = broken[g] || (HasCounted(totals.groups[g]) &&
                              HasOnlyCommonEvents(table, table.groups[g], totals.groups[g]));
  }
  return broken;
}

std::vector<std::string> DroppedGroups(const EventTable& table, const CounterTotals& totals) {
  std::vector<std::string> dropped;
  const std::vector<bool> broken = BrokenGroups(table, totals);
  for (size_t g = 0; g < table.groups.size() && g < totals.groups.size(); ++g) {
    const GroupCounts& counted = totals.groups[g];
    const std::string name(table.groups[g].name);
    if (counted.runs == 0) continue;
    if (counted.running_ns == 0) {
      dropped.push_back(
          absl::StrCat("the group '", name,
                       "' never counted: it needs more counters than are free (the NMI "
                       "watchdog takes one: sysctl kernel.nmi_watchdog=0)"));
    } else if (!HasCounted(counted)) {
      dropped.push_back(absl::StrFormat(
          "the group '%s' counted %.0f %% of the time, because others use the counters; it is left "
          "out",
          name,
          100.0 * static_cast<double>(counted.running_ns) /
              static_cast<double>(counted.enabled_ns)));
    } else if (broken[g]) {
      const CounterEvent* missing = MissingEvent(table, table.groups[g], counted);
      dropped.push_back(absl::StrCat(
          "the group '", name, "' is broken: cycles count, but ",
          missing == nullptr ? "its other events stay" : std::string(missing->source) + " stays",
          " 0; it is left out"));
    }
  }
  return dropped;
}

std::vector<std::string> CountingFaults(const EventTable& table, const CounterTotals& totals) {
  std::vector<std::string> faults = DroppedGroups(table, totals);
  const std::vector<bool> broken = BrokenGroups(table, totals);
  double reference = 0;
  for (size_t g = 0; g < table.groups.size() && g < totals.groups.size(); ++g) {
    const GroupCounts& counted = totals.groups[g];
    if (broken[g] || !HasCounted(counted)) continue;
    const double cycles = CyclesOf(table.groups[g], counted);
    if (reference == 0) reference = cycles;
    if (cycles > 0 && std::max(cycles / reference, reference / cycles) > 1 + kMostPassDifference) {
      faults.push_back(absl::StrFormat(
          "the pass of the group '%s' took %.2f times the cycles of the first pass; metrics that "
          "combine both are inconsistent",
          std::string(table.groups[g].name), cycles / reference));
    }
  }
  return faults;
}

std::vector<std::string> DoubtsOf(const EventTable& table, const MetricSet& metrics) {
  const MetricValue* const whole = metrics.Find("memory_bound");
  if (whole == nullptr) return {};
  double sum = 0;
  for (const std::string_view name : table.memory) {
    const MetricValue* const level = metrics.Find(name);
    if (level != nullptr) sum += level->value;
  }
  if (sum <= whole->value + kMostExcess) return {};
  return {absl::StrFormat(
      "the levels of memory take %.3f of the cycles, and memory_bound is %.3f of the slots: the "
      "levels tell how they compare with each other, but not what they cost",
      sum, whole->value)};
}

}  // namespace pmdex
