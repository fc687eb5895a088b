#include "tools/profile/profile_plots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "tools/profile/metric_text.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace {

// "backend bound" for backend_bound.
std::string Spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// What the table calls the metric, or its name.
std::string TitleOfMetric(const EventTable& table, std::string_view metric) {
  const MetricRow* const row = table.FindMetric(metric);
  return row == nullptr || row->title.empty() ? Spaced(metric) : std::string(row->title);
}

BarPlot StackedPlot(const EventTable& table, const std::string& name, const std::string& title,
                    const std::string& y_label, const std::vector<std::string_view>& metrics) {
  BarPlot plot;
  plot.name = name;
  plot.title = title;
  plot.y_label = y_label;
  plot.stacked = true;
  for (const std::string_view metric : metrics) {
    plot.series.push_back({TitleOfMetric(table, metric), {}, {}});
  }
  return plot;
}

void AddBar(const std::string& category, const MetricSet& metrics,
            const std::vector<std::string_view>& names, BarPlot& plot) {
  plot.categories.push_back(category);
  for (size_t i = 0; i < names.size(); ++i) {
    const MetricValue* value = metrics.Find(names[i]);
    plot.series[i].values.push_back(value == nullptr ? NAN : value->value);
  }
}

// The study's table 5.3 and figures 5.8 to 5.11: a bar for each configuration, and for each class,
// plan and length of lists of each configuration.
void AddTopDownPlots(const ProfileResult& result, std::vector<Plot>& plots) {
  const EventTable& table = *result.table;
  if (table.level1.empty()) return;
  BarPlot level1 =
      StackedPlot(table, "top-down", "Level 1 by configuration", "share of slots", table.level1);
  BarPlot level2 =
      StackedPlot(table, "top-down-2", "Level 2 by configuration", "share of slots", table.level2);
  level1.y_max = level2.y_max = 1;
  for (const ProfiledConfiguration& configuration : result.configurations) {
    const std::string name = NameOfConfiguration(result, configuration);
    AddBar(name, configuration.metrics, table.level1, level1);
    AddBar(name, configuration.metrics, table.level2, level2);
  }
  plots.emplace_back(std::move(level1));
  if (HasValues(level2)) plots.emplace_back(std::move(level2));
}

// What the queries of a bar have in common.
struct BarGrouping {
  const char* name;   // of the plot
  const char* words;  // in its title
  const std::vector<QueryGroup>* groups;
};

void AddGroupPlots(const ProfileResult& result, std::vector<Plot>& plots) {
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const ProfiledConfiguration& configuration = result.configurations[i];
    const std::string number = i == 0 ? "" : absl::StrCat("-", i + 1);
    const std::string of =
        result.configurations.size() == 1 ? "" : ", " + NameOfConfiguration(result, configuration);
    for (const BarGrouping& grouping :
         {BarGrouping{"classes", "by class", &configuration.classes},
          BarGrouping{"plans", "by plan", &configuration.plans},
          BarGrouping{"lengths", "by length of the posting lists", &configuration.buckets}}) {
      std::vector<NamedMetrics> bars;
      for (const QueryGroup& group : *grouping.groups) {
        bars.push_back({LabelOf(group), &group.metrics});
      }
      for (Plot& plot : TopDownPlots(*result.table, absl::StrCat(grouping.name, number),
                                     grouping.words, of, bars)) {
        plots.push_back(std::move(plot));
      }
    }
  }
}

// The study's figures 6.2 and 6.4: a line for each mode and number of threads over the bytes of the
// indexes.
void AddSizePlot(const ProfileResult& result, const char* metric, const char* title,
                 std::vector<Plot>& plots) {
  std::map<std::string, LineSeries> lines;
  std::set<uint64_t> sizes;
  std::string unit;
  for (const ProfiledConfiguration& one : result.configurations) {
    sizes.insert(one.index_bytes);
    const MetricValue* value = one.metrics.Find(metric);
    if (value == nullptr) continue;
    unit = std::string(value->row->unit);
    LineSeries& line =
        lines[absl::StrCat(one.mode, ", ", one.threads, one.threads == 1 ? " thread" : " threads")];
    line.points.push_back({static_cast<double>(one.index_bytes), value->value, 0});
  }
  if (sizes.size() < 2 || lines.empty()) return;
  LinePlot plot;
  plot.name = "size-" + absl::StrReplaceAll(metric, {{"_", "-"}});
  plot.title = absl::StrCat(title, " by the size of the index");
  plot.x_label = "bytes of the index";
  plot.y_label = unit;
  plot.log_x = true;
  for (auto& [name, line] : lines) {
    line.name = name;
    std::sort(line.points.begin(), line.points.end(),
              [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
    plot.series.push_back(std::move(line));
  }
  plots.emplace_back(std::move(plot));
}

// The study's figure 4.3: a line for each configuration over the length of the lists.
void AddLengthPlot(const ProfileResult& result, const char* metric, const char* title,
                   const char* y_label, std::vector<Plot>& plots) {
  LinePlot plot;
  plot.name = absl::StrCat("by-postings-", plots.size());
  plot.title = title;
  plot.x_label = "postings in the lists of the query";
  plot.y_label = y_label;
  plot.log_x = plot.log_y = true;
  for (const ProfiledConfiguration& configuration : result.configurations) {
    LineSeries& series = plot.series.emplace_back();
    series.name = NameOfConfiguration(result, configuration);
    for (const QueryGroup& bucket : configuration.buckets) {
      const MetricValue* value = bucket.metrics.Find(metric);
      if (value == nullptr || value->value <= 0 || bucket.range.from == 0) continue;
      // The middle of a bucket on a logarithmic axis.
      const double x =
          std::sqrt(static_cast<double>(bucket.range.from) * static_cast<double>(bucket.range.to));
      series.points.push_back({x, value->value, 0});
    }
  }
  if (HasValues(plot)) plots.emplace_back(std::move(plot));
}

void AddPhasePlot(const ProfileResult& result, std::vector<Plot>& plots) {
  BarPlot plot;
  plot.name = "phases";
  plot.title = "Phases of a query";
  plot.y_label = result.source == "simulated" ? "share of instructions" : "share of samples";
  plot.stacked = true;
  plot.y_max = 1;
  std::set<std::string> names;
  std::vector<std::string> order;
  for (const ProfiledConfiguration& configuration : result.configurations) {
    plot.categories.push_back(NameOfConfiguration(result, configuration));
    for (const PhaseShare& phase : configuration.phases) {
      if (names.insert(phase.name).second) order.push_back(phase.name);
    }
  }
  for (const std::string& name : order) {
    BarSeries& series = plot.series.emplace_back();
    series.name = name;
    for (const ProfiledConfiguration& configuration : result.configurations) {
      const auto found = std::find_if(configuration.phases.begin(), configuration.phases.end(),
                                      [&](const PhaseShare& phase) { return phase.name == name; });
      series.values.push_back(found == configuration.phases.end() ? 0 : found->share);
    }
  }
  if (HasValues(plot)) plots.emplace_back(std::move(plot));
}

}  // namespace

std::vector<Plot> TopDownPlots(const EventTable& table, const std::string& name,
                               const std::string& words, const std::string& of,
                               const std::vector<NamedMetrics>& bars) {
  if (table.level1.empty()) return {};
  BarPlot level1 = StackedPlot(table, "top-down-" + name, absl::StrCat("Level 1 ", words, of),
                               "share of slots", table.level1);
  BarPlot level2 = StackedPlot(table, "level-2-" + name, absl::StrCat("Level 2 ", words, of),
                               "share of slots", table.level2);
  BarPlot memory =
      StackedPlot(table, "memory-" + name, absl::StrCat("Memory bound ", words, ", by level", of),
                  "share of cycles", table.memory);
  level1.y_max = level2.y_max = 1;
  for (const NamedMetrics& bar : bars) {
    AddBar(bar.name, *bar.metrics, table.level1, level1);
    AddBar(bar.name, *bar.metrics, table.level2, level2);
    AddBar(bar.name, *bar.metrics, table.memory, memory);
  }
  std::vector<Plot> plots;
  for (BarPlot* const plot : {&level1, &level2, &memory}) {
    if (HasValues(*plot)) plots.emplace_back(std::move(*plot));
  }
  return plots;
}

std::vector<Plot> ProfilePlots(const ProfileResult& result) {
  std::vector<Plot> plots;
  AddTopDownPlots(result, plots);
  AddGroupPlots(result, plots);
  AddPhasePlot(result, plots);
  AddLengthPlot(result, "time_us", "Time by length of the posting lists", "us per query", plots);
  AddLengthPlot(result, "instructions_per_query", "Instructions by length of the posting lists",
                "instructions per query", plots);
  AddLengthPlot(result, "llc_misses_per_1000", "Last-level misses by length of the posting lists",
                "misses per 1,000 instructions", plots);
  AddSizePlot(result, "external_memory_bound", "External memory bound", plots);
  AddSizePlot(result, "llc_misses_per_1000", "Last-level misses", plots);
  AddSizePlot(result, "memory_level_parallelism", "Memory-level parallelism", plots);
  AddSizePlot(result, "load_miss_latency", "Mean latency of a miss", plots);
  return plots;
}

}  // namespace pmdex
