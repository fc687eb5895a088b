#include "tools/profile/profile_diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/counters/top_down_nodes.h"
#include "tools/profile/metric_text.h"

namespace pmdex {
namespace {

// A node and those that it is divided into. If both profiles have some of these, they stand for the
// node. Nodes that others stand for come before what divides them further.
struct DividedNode {
  std::string_view node;
  std::span<const std::string_view> parts;
};
constexpr std::string_view kRetiringParts[] = {"light_operations", "heavy_operations",
                                               "retiring_fastpath", "retiring_microcode"};
constexpr std::string_view kSpeculationParts[] = {"branch_mispredicts", "machine_clears",
                                                  "pipeline_restarts"};
constexpr std::string_view kFrontendParts[] = {"frontend_latency", "frontend_bandwidth"};
constexpr DividedNode kHierarchy[] = {{"retiring", kRetiringParts},
                                      {"bad_speculation", kSpeculationParts},
                                      {"frontend_bound", kFrontendParts},
                                      {"memory_bound", kMemoryNodes},
                                      {"core_bound", {}},
                                      {"smt_contention_share", {}}};

const SavedProfile::Metric* FindMetricOf(const SavedProfile& profile, const std::string& name) {
  const auto found = profile.metrics.find(name);
  return found == profile.metrics.end() ? nullptr : &found->second;
}

void SortByChange(std::vector<NodeChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const NodeChange& x, const NodeChange& y) {
    return std::abs(x.after - x.before) > std::abs(y.after - y.before);
  });
}

// The metric that the samples of phases divide.
const char* CostOfPhases(const SavedProfile& profile) {
  return profile.source == "simulated" ? "instructions_per_query" : "task_clock_us";
}

std::string MoreOrLess(const NodeChange& change) {
  const double difference = change.after - change.before;
  return MetricText(std::abs(difference), "") + (difference < 0 ? " less" : " more");
}

// Without a breakdown by nodes.
std::string PhaseInWords(const SavedProfile& before, const SavedProfile& after) {
  std::string why = "A breakdown by nodes of the CPU needs hardware counters in both profiles.";
  const std::vector<NodeChange> changes = ExplainByPhase(before, after);
  if (changes.empty()) return why;
  return absl::StrCat("By samples, the phase ", changes[0].node, " changed most: ",
                      before.source == "simulated" ? "instructions" : "us of CPU time",
                      " of a query, ", MoreOrLess(changes[0]), " in B. ", why);
}

}  // namespace

ReportTable DiffTable(const SavedProfile& before, const SavedProfile& after) {
  ReportTable table;
  table.columns = {{"metric"}, {"A", true}, {"B", true}, {"B / A", true}, {"unit"}};
  for (const std::string& name : before.order) {
    const SavedProfile::Metric& a = before.metrics.at(name);
    const SavedProfile::Metric* b = FindMetricOf(after, name);
    if (b == nullptr) continue;
    const bool has_ratio = a.value != 0 && std::isfinite(b->value / a.value);
    table.rows.push_back({name, MetricText(a.value, a.unit), MetricText(b->value, a.unit),
                          has_ratio ? absl::StrFormat("%.3f", b->value / a.value) : "", a.unit});
  }
  return table;
}

std::vector<NodeChange> ExplainDifference(const SavedProfile& before, const SavedProfile& after) {
  const SavedProfile::Metric* a = FindMetricOf(before, "cycles_per_query");
  const SavedProfile::Metric* b = FindMetricOf(after, "cycles_per_query");
  std::vector<NodeChange> changes;
  if (a == nullptr || b == nullptr) return changes;
  const auto add = [&](std::string_view name) {
    const std::string node(name);
    const SavedProfile::Metric* x = FindMetricOf(before, node);
    const SavedProfile::Metric* y = FindMetricOf(after, node);
    if (x == nullptr || y == nullptr) return false;
    changes.push_back({node, x->value * a->value, y->value * b->value});
    return true;
  };
  for (const DividedNode& divided : kHierarchy) {
    bool has_parts = false;
    for (const std::string_view part : divided.parts) has_parts = add(part) || has_parts;
    if (!has_parts) add(divided.node);
  }
  SortByChange(changes);
  return changes;
}

std::vector<NodeChange> ExplainByPhase(const SavedProfile& before, const SavedProfile& after) {
  std::vector<NodeChange> changes;
  if (before.phases.empty() || after.phases.empty()) return changes;
  const char* const cost = CostOfPhases(before);
  const SavedProfile::Metric* a = FindMetricOf(before, cost);
  const SavedProfile::Metric* b = FindMetricOf(after, cost);
  if (a == nullptr || b == nullptr) return changes;
  std::map<std::string, NodeChange> by_name;
  for (const auto& [name, share] : before.phases) by_name[name].before = share * a->value;
  for (const auto& [name, share] : after.phases) by_name[name].after = share * b->value;
  for (auto& [name, change] : by_name) {
    change.node = name;
    changes.push_back(change);
  }
  SortByChange(changes);
  return changes;
}

ReportTable PartsOfDifference(const SavedProfile& before, const SavedProfile& after) {
  ReportTable table;
  std::vector<NodeChange> changes = ExplainDifference(before, after);
  table.caption = "Cycles of a query by node of the top-down hierarchy";
  if (changes.empty()) {
    changes = ExplainByPhase(before, after);
    table.caption = before.source == "simulated" ? "Instructions of a query by phase"
                                                 : "CPU time of a query by phase, in us";
  }
  table.columns = {{"part"}, {"A", true}, {"B", true}, {"B - A", true}};
  for (const NodeChange& change : changes) {
    table.rows.push_back({change.node, MetricText(change.before, ""), MetricText(change.after, ""),
                          MetricText(change.after - change.before, "")});
  }
  return table;
}

std::string DifferenceInWords(const SavedProfile& before, const SavedProfile& after) {
  const SavedProfile::Metric* a = FindMetricOf(before, "time_us");
  const SavedProfile::Metric* b = FindMetricOf(after, "time_us");
  std::string text;
  if (a != nullptr && b != nullptr && a->value > 0) {
    text = absl::StrFormat("A query takes %s us in A and %s us in B (%.3f times).",
                           MetricText(a->value, "us"), MetricText(b->value, "us"),
                           b->value / a->value);
  }
  const std::vector<NodeChange> changes = ExplainDifference(before, after);
  if (!text.empty()) text += " ";
  if (changes.empty()) return text + PhaseInWords(before, after);
  return absl::StrCat(text, "The node ", changes[0].node, " changed most: cycles of a query, ",
                      MoreOrLess(changes[0]), " in B.");
}

SavedProfile AsSaved(const ProfiledConfiguration& configuration, const std::string& name,
                     const std::string& source) {
  SavedProfile saved;
  saved.path = name;
  saved.source = source;
  for (const MetricValue& metric : configuration.metrics.values) {
    const std::string metric_name(metric.row->name);
    saved.order.push_back(metric_name);
    saved.metrics[metric_name] = {metric.value, std::string(metric.row->unit)};
  }
  for (const PhaseShare& phase : configuration.phases) saved.phases[phase.name] = phase.share;
  return saved;
}

}  // namespace pmdex
