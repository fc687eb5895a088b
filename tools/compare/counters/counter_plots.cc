#include "tools/compare/counters/counter_plots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "tools/compare/compare_tables.h"
#include "tools/compare/counters/counter_totals.h"
#include "tools/compare/plot_parts.h"
#include "tools/counters/top_down_nodes.h"

namespace pmdex {
namespace {

struct PlottedCounter {
  const char* name;
  const char* title;
  const char* y_label;
};

// Of each class in each configuration.
constexpr PlottedCounter kByClass[] = {
    {"instructions_per_query", "Instructions", "instructions per query"},
    {"task_clock_us", "CPU time", "microseconds per query"},
    {"llc_misses_per_1000", "Last-level misses", "per 1,000 instructions"},
    {"memory_bound", "Memory bound", "share of slots"},
    {"external_memory_bound", "External memory bound", "share of cycles"}};

// Of each class over the size of the index: what tells overlapping misses from shorter ones.
constexpr PlottedCounter kBySize[] = {
    {"external_memory_bound", "External memory bound", "share of cycles"},
    {"llc_misses_per_1000", "Last-level misses", "per 1,000 instructions"},
    {"memory_level_parallelism", "Memory-level parallelism", "misses at a time"},
    {"load_miss_latency", "Mean latency of a miss", "cycles"}};

std::string PlotName(std::string_view counter) {
  return absl::StrReplaceAll(std::string(counter), {{"_", "-"}});
}

PlottedNumber NumberOf(const PlottedCounter& counter) {
  return [name = counter.name](const ComparedClass& one) { return CounterOf(one.counters, name); };
}

// A stacked bar that shall be drawn, and its counters.
struct StackedBar {
  std::string category;
  std::vector<CounterValue> counters;
};

// Nodes that no bar has are left out.
BarPlot Stacked(BarPlot plot, std::span<const std::string_view> nodes,
                const std::vector<StackedBar>& bars) {
  plot.stacked = true;
  for (const StackedBar& bar : bars) plot.categories.push_back(bar.category);
  for (const std::string_view node : nodes) {
    BarSeries series;
    series.name = absl::StrReplaceAll(std::string(node), {{"_", " "}});
    for (const StackedBar& bar : bars) {
      series.values.push_back(CounterOf(bar.counters, node).value_or(NAN));
    }
    const bool measured = std::any_of(series.values.begin(), series.values.end(),
                                      [](double value) { return std::isfinite(value); });
    if (measured) plot.series.push_back(std::move(series));
  }
  return plot;
}

BarPlot Level1(const std::string& name, const std::string& title,
               const std::vector<StackedBar>& bars) {
  BarPlot plot = Stacked(Titled(name, title, "share of slots"), kLevel1Nodes, bars);
  plot.y_max = 1;
  return plot;
}

void AddBreakdowns(const PlottedConfigurations& base, const std::string& mode,
                   std::vector<Plot>& plots) {
  std::vector<StackedBar> bars;
  for (const ComparedConfiguration* one : base) {
    bars.push_back({ShortName(one->key), CountersOfAll(*one)});
  }
  plots.emplace_back(Level1("level1-" + mode, "Level 1 of each configuration, " + mode, bars));
  BarPlot level2 =
      Stacked(Titled("level2-" + mode, "Level 2 of each configuration, " + mode, "share of slots"),
              kLevel2Nodes, bars);
  level2.y_max = 1;
  plots.emplace_back(std::move(level2));
  plots.emplace_back(
      Stacked(Titled("memory-" + mode, "Memory bound of each configuration, by level, " + mode,
                     "share of cycles"),
              kMemoryNodes, bars));
  for (size_t i = 0; i < base.size(); ++i) {
    std::vector<StackedBar> classes;
    for (const ComparedClass& of : base[i]->classes) classes.push_back({of.name, of.counters});
    plots.emplace_back(Level1(
        absl::StrCat("level1-", mode, "-", i + 1),
        absl::StrCat("Level 1 of each class, ", ShortName(base[i]->key), " ", mode), classes));
  }
}

void AddClasses(const PlottedConfigurations& base, const std::string& mode,
                std::vector<Plot>& plots) {
  for (const PlottedCounter& counter : kByClass) {
    BarPlot plot =
        BarsOf(base,
               Titled(absl::StrCat("counted-", PlotName(counter.name), "-", mode),
                      absl::StrCat(counter.title, " of each class, ", mode), counter.y_label),
               NumberOf(counter), [](const ComparedClass&) { return std::nullopt; });
    plot.log_y = !std::string_view(counter.y_label).starts_with("share");
    plots.emplace_back(std::move(plot));
  }
  plots.emplace_back(ByPostings(
      base,
      LineTitled("instructions-" + mode, "Instructions by the postings of a query, " + mode,
                 "instructions per query"),
      [](const PostingBucket& bucket) { return bucket.instructions; }));
}

// Level 1 of the first place of the mode, by what its configurations have several values of.
void AddLevel1By(uint64_t ConfigurationKey::*part, const std::string& what,
                 const CompareResult& result, const std::string& mode, std::vector<Plot>& plots) {
  const PlottedConfigurations base = BaseOf(result, mode);
  if (base.empty() || !Varies(result, std::mem_fn(part))) return;
  std::vector<StackedBar> bars;
  for (const ComparedConfiguration& one : result.configurations) {
    ConfigurationKey key = base[0]->key;
    key.*part = one.key.*part;
    if (key == one.key) bars.push_back({absl::StrCat(one.key.*part), CountersOfAll(one)});
  }
  plots.emplace_back(
      Level1(absl::StrCat("level1-", what, "-", mode),
             absl::StrCat("Level 1 by ", what, ", ", ShortName(base[0]->key), " ", mode), bars));
}

}  // namespace

std::vector<Plot> CounterPlots(const CompareResult& result) {
  std::vector<Plot> plots;
  for (const std::string& mode : ModesOf(result)) {
    const PlottedConfigurations base = BaseOf(result, mode);
    AddBreakdowns(base, mode, plots);
    AddClasses(base, mode, plots);
    AddLevel1By(&ConfigurationKey::scale, "scale", result, mode, plots);
    AddLevel1By(&ConfigurationKey::threads, "threads", result, mode, plots);
  }
  for (const PlottedCounter& counter : kBySize) {
    if (!Varies(result, std::mem_fn(&ConfigurationKey::scale))) break;
    const LinePlot plot =
        LineTitled("size-" + PlotName(counter.name),
                   absl::StrCat(counter.title, " by the size of the index"), counter.y_label);
    for (Plot& one : ClassesBySize(result, plot, NumberOf(counter))) {
      plots.push_back(std::move(one));
    }
  }
  std::erase_if(plots, [](const Plot& plot) { return !HasValues(plot); });
  return plots;
}

}  // namespace pmdex
