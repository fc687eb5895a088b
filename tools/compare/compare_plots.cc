#include "tools/compare/compare_plots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/plot_parts.h"

namespace pmdex {
namespace {

std::optional<double> NoError(const ComparedClass& /*one*/) {
  return std::nullopt;
}

std::optional<double> MeanUs(const ComparedClass& one) {
  return one.mean_us;
}

// One line for each name that `line` gives to keys, with a point for each of its configurations.
// Those without a name are left out.
LinePlot LinesOf(const CompareResult& result, LinePlot plot,
                 const std::function<std::string(const ConfigurationKey&)>& line,
                 const std::function<LinePoint(const ComparedConfiguration&)>& point) {
  std::map<std::string, size_t> places;
  for (const ComparedConfiguration& one : result.configurations) {
    const std::string name = line(one.key);
    if (name.empty()) continue;
    const auto [place, is_new] = places.emplace(name, plot.series.size());
    if (is_new) plot.series.push_back({place->first, {}});
    plot.series[place->second].points.push_back(point(one));
  }
  for (LineSeries& series : plot.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
  }
  return plot;
}

// Queries a second if the classes take turns: the harmonic mean over them.
double QueriesPerSecond(const ComparedConfiguration& configuration) {
  double seconds = 0;
  for (const ComparedClass& of : configuration.classes) seconds += of.qps > 0 ? 1 / of.qps : NAN;
  return static_cast<double>(configuration.classes.size()) / seconds;
}

LinePlot ByThreads(const CompareResult& result) {
  LinePlot plot;
  plot.name = "threads";
  plot.title = "Queries a second by threads (harmonic mean over the classes)";
  plot.x_label = "threads";
  plot.y_label = "queries a second";
  return LinesOf(
      result, plot,
      [&](const ConfigurationKey& key) {
        return key.scale == ScalesOf(result).back() ? absl::StrCat(ShortName(key), " ", key.mode)
                                                    : std::string();
      },
      [](const ComparedConfiguration& one) {
        return LinePoint{static_cast<double>(one.key.threads), QueriesPerSecond(one), 0};
      });
}

LinePlot BySize(const CompareResult& result) {
  LinePlot plot;
  plot.name = "size";
  plot.title = "Geometric mean of the mean times by the size of the index";
  plot.x_label = "postings of the index";
  plot.y_label = "microseconds";
  plot.log_x = plot.log_y = true;
  return LinesOf(
      result, plot,
      [](const ConfigurationKey& key) {
        return absl::StrCat(ShortName(key), " ", key.mode, " x", key.threads);
      },
      [](const ComparedConfiguration& one) {
        return LinePoint{static_cast<double>(one.postings), OverallMeanUs(one).value_or(NAN), 0};
      });
}

}  // namespace

std::vector<Plot> PlotsOf(const CompareResult& result) {
  std::vector<Plot> plots;
  for (const std::string& mode : ModesOf(result)) {
    const PlottedConfigurations base = BaseOf(result, mode);
    plots.emplace_back(
        BarsOf(base, Titled("mean-" + mode, "Mean time of each class, " + mode, "microseconds"),
               MeanUs, [](const ComparedClass& one) { return one.ci95_us; }));
    plots.emplace_back(BarsOf(
        base, Titled("p99-" + mode, "99th percentile of each class, " + mode, "microseconds"),
        [](const ComparedClass& one) { return std::optional(one.p99_us); }, NoError));
    plots.emplace_back(
        ByPostings(base,
                   LineTitled("postings-" + mode, "Mean time by the postings of a query, " + mode,
                              "microseconds"),
                   [](const PostingBucket& bucket) { return std::optional(bucket.mean_us); }));
    plots.emplace_back(BarsOf(
        base, Titled("cold-" + mode, "First run of each class, " + mode, "microseconds"),
        [](const ComparedClass& one) { return one.cold_mean_us; }, NoError));
    plots.emplace_back(BarsOf(
        base, Titled("touched-" + mode, "Bytes touched by a query, " + mode, "bytes"),
        [](const ComparedClass& one) { return one.bytes_touched; }, NoError));
  }
  if (Varies(result, [](const ConfigurationKey& key) { return key.threads; })) {
    plots.emplace_back(ByThreads(result));
  }
  if (Varies(result, [](const ConfigurationKey& key) { return key.scale; })) {
    plots.emplace_back(BySize(result));
    LinePlot plot = LineTitled("size", "Mean time by the size of the index", "microseconds");
    plot.log_y = true;
    for (Plot& one : ClassesBySize(result, plot, MeanUs)) plots.push_back(std::move(one));
  }
  std::erase_if(plots, [](const Plot& plot) { return !HasValues(plot); });
  return plots;
}

}  // namespace pmdex
