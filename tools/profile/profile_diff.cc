#include "tools/profile/profile_diff.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/profile/metric_text.h"

namespace pmdex {
namespace {

// Leaves of the hierarchy as deep as a table has them. Parts below memory bound are shares of
// cycles; if a table has them, memory bound itself is left out.
constexpr std::array kMemoryLeaves = {"l1_bound",   "l2_bound", "l3_bound",
                                      "dram_bound", "pm_bound", "store_bound"};
constexpr std::array kOtherLeaves = {"retiring", "bad_speculation", "frontend_bound", "core_bound",
                                     "smt_contention_share"};

const SavedProfile::Metric* FindMetricOf(const SavedProfile& profile, const std::string& name) {
  const auto found = profile.metrics.find(name);
  return found == profile.metrics.end() ? nullptr : &found->second;
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
  const auto add = [&](const char* node) {
    const SavedProfile::Metric* x = FindMetricOf(before, node);
    const SavedProfile::Metric* y = FindMetricOf(after, node);
    if (x == nullptr || y == nullptr) return false;
    changes.push_back({node, x->value * a->value, y->value * b->value});
    return true;
  };
  for (const char* node : kOtherLeaves) add(node);
  bool has_leaves = false;
  for (const char* node : kMemoryLeaves) has_leaves = add(node) || has_leaves;
  if (!has_leaves) add("memory_bound");
  std::stable_sort(changes.begin(), changes.end(), [](const NodeChange& x, const NodeChange& y) {
    return std::abs(x.after - x.before) > std::abs(y.after - y.before);
  });
  return changes;
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
  if (changes.empty()) {
    return absl::StrCat(
        text, text.empty() ? "" : " ",
        "Which node explains it cannot be said: a top-down breakdown needs hardware "
        "counters in both.");
  }
  const double difference = changes[0].after - changes[0].before;
  return absl::StrFormat("%s The node %s explains most of it: %s cycles of a query %s in B.", text,
                         changes[0].node, MetricText(std::abs(difference), "per query"),
                         difference < 0 ? "less" : "more");
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
  return saved;
}

}  // namespace pmdex
