#include "tools/profile/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

#include "tools/counters/top_down_nodes.h"
#include "tools/profile/metric_text.h"

namespace pmdex {
namespace {

// A smaller part of the cycles that the parts of a node leave over comes from rounding.
constexpr double kLeastRest = 0.001;

const SavedProfile::Metric* FindMetricOf(const SavedProfile& profile, const std::string& name) {
  const auto found = profile.metrics.find(name);
  return found == profile.metrics.end() ? nullptr : &found->second;
}

// Of one node in two profiles.
struct Shares {
  double before = 0;
  double after = 0;
};

// Divides the cycles of a query in two profiles over the nodes that both have.
class CycleDivision {
 public:
  CycleDivision(const SavedProfile& before, const SavedProfile& after, double cycles_before,
                double cycles_after)
      : before_(before),
        after_(after),
        cycles_before_(cycles_before),
        cycles_after_(cycles_after) {}

  // Adds the parts of the node, and what they leave of it; the node itself if both profiles have
  // no part. Returns the shares that this stands for.
  std::optional<Shares> Add(std::string_view node) {
    const std::optional<Shares> own = SharesOf(node);
    std::optional<Shares> parts;
    for (const std::string_view part : PartsOfNode(node)) {
      const std::optional<Shares> one = Add(part);
      if (!one.has_value()) continue;
      if (!parts.has_value()) parts.emplace();
      parts->before += one->before;
      parts->after += one->after;
    }
    if (!own.has_value()) return parts;
    if (!parts.has_value()) {
      Push(std::string(node), *own);
      return own;
    }
    // Parts that are shares of cycles can be more than a node that is a share of slots.
    const Shares rest = {std::max(own->before - parts->before, 0.0),
                         std::max(own->after - parts->after, 0.0)};
    if (std::max(rest.before, rest.after) >= kLeastRest) {
      Push(absl::StrCat("other ", absl::StrReplaceAll(std::string(node), {{"_", " "}})), rest);
    }
    return own;
  }

  std::vector<NodeChange> Take() { return std::move(changes_); }

 private:
  std::optional<Shares> SharesOf(std::string_view node) const {
    const SavedProfile::Metric* x = FindMetricOf(before_, std::string(node));
    const SavedProfile::Metric* y = FindMetricOf(after_, std::string(node));
    if (x == nullptr || y == nullptr) return std::nullopt;
    return Shares{x->value, y->value};
  }

  void Push(std::string name, const Shares& shares) {
    changes_.push_back(
        {std::move(name), shares.before * cycles_before_, shares.after * cycles_after_});
  }

  const SavedProfile& before_;
  const SavedProfile& after_;
  const double cycles_before_;
  const double cycles_after_;
  std::vector<NodeChange> changes_;
};

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
  if (a == nullptr || b == nullptr) return {};
  CycleDivision division(before, after, a->value, b->value);
  for (const std::string_view node : kLevel1Nodes) division.Add(node);
  std::vector<NodeChange> changes = division.Take();
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
