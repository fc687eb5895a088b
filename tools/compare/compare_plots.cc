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

namespace pmdex {
namespace {

using PlottedNumber = std::function<std::optional<double>(const ComparedClass&)>;
using PlottedConfigurations = std::vector<const ComparedConfiguration*>;

// The largest scale only, and the fewest threads, so that bars and lines differ in little else than
// tier and directory.
PlottedConfigurations BaseOf(const CompareResult& result, const std::string& mode) {
  uint64_t scale = 0;
  uint64_t threads = UINT64_MAX;
  for (const ComparedConfiguration& one : result.configurations) {
    scale = std::max(scale, one.key.scale);
    threads = std::min(threads, one.key.threads);
  }
  PlottedConfigurations base;
  for (const ComparedConfiguration& one : result.configurations) {
    if (one.key.mode == mode && one.key.scale == scale && one.key.threads == threads) {
      base.push_back(&one);
    }
  }
  return base;
}

std::string ShortName(const ConfigurationKey& key) {
  std::string name = absl::StrCat(key.tier, " ", key.directory);
  if (key.numa != "any") absl::StrAppend(&name, " ", key.numa);
  return name;
}

std::vector<std::string> ClassesOf(const PlottedConfigurations& configurations) {
  std::vector<std::string> names;
  for (const ComparedConfiguration* one : configurations) {
    for (const ComparedClass& of : one->classes) {
      if (std::find(names.begin(), names.end(), of.name) == names.end()) names.push_back(of.name);
    }
  }
  return names;
}

BarPlot BarsOf(const PlottedConfigurations& configurations, BarPlot plot,
               const PlottedNumber& number, const PlottedNumber& error) {
  plot.log_y = true;
  plot.categories = ClassesOf(configurations);
  for (const ComparedConfiguration* one : configurations) {
    BarSeries series;
    series.name = ShortName(one->key);
    for (const std::string& name : plot.categories) {
      const ComparedClass* of = FindClass(*one, name);
      series.values.push_back(of == nullptr ? NAN : number(*of).value_or(NAN));
      series.errors.push_back(of == nullptr ? 0 : error(*of).value_or(0));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::optional<double> NoError(const ComparedClass& /*one*/) {
  return std::nullopt;
}

BarPlot Titled(std::string name, std::string title, std::string y_label) {
  BarPlot plot;
  plot.name = std::move(name);
  plot.title = std::move(title);
  plot.y_label = std::move(y_label);
  return plot;
}

// Queries of all classes with so many postings, weighted by their number.
LinePlot ByPostings(const PlottedConfigurations& configurations, const std::string& mode) {
  LinePlot plot;
  plot.name = absl::StrCat("postings-", mode);
  plot.title = absl::StrCat("Mean time by the postings of a query, ", mode);
  plot.x_label = "postings in the lists of a query";
  plot.y_label = "microseconds";
  plot.log_x = plot.log_y = true;
  for (const ComparedConfiguration* one : configurations) {
    std::map<uint64_t, std::pair<double, double>> sums;  // by `from`: weighted sum, queries
    for (const ComparedClass& of : one->classes) {
      for (const PostingBucket& bucket : of.by_postings) {
        auto& [sum, queries] = sums[std::max<uint64_t>(bucket.from, 1)];
        sum += bucket.mean_us * static_cast<double>(bucket.queries);
        queries += static_cast<double>(bucket.queries);
      }
    }
    LineSeries& series = plot.series.emplace_back();
    series.name = ShortName(one->key);
    for (const auto& [from, sum] : sums) {
      series.points.push_back({static_cast<double>(from), sum.first / sum.second, 0});
    }
  }
  return plot;
}

// One line for each index and mode: the sum of queries a second over the classes by `x`.
LinePlot LinesOf(const CompareResult& result, LinePlot plot,
                 const std::function<std::string(const ConfigurationKey&)>& line,
                 const std::function<LinePoint(const ComparedConfiguration&)>& point) {
  std::map<std::string, size_t> places;
  for (const ComparedConfiguration& one : result.configurations) {
    const auto [place, is_new] = places.emplace(line(one.key), plot.series.size());
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
      [](const ConfigurationKey& key) { return absl::StrCat(ShortName(key), " ", key.mode); },
      [](const ComparedConfiguration& one) {
        return LinePoint{static_cast<double>(one.key.threads), QueriesPerSecond(one), 0};
      });
}

LinePlot BySize(const CompareResult& result) {
  LinePlot plot;
  plot.name = "size";
  plot.title = "Mean time by the size of the index (geometric mean over the classes)";
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

// How each class grows with the index, for one place of indexes. `like`: any of their keys.
LinePlot ClassesBySize(const CompareResult& result, const ConfigurationKey& like) {
  LinePlot plot;
  plot.name = absl::StrCat("size-", like.mode, "-", like.tier);
  plot.title = absl::StrCat("Mean time by the size of the index, ", like.tier, " ", like.mode);
  plot.x_label = "postings of the index";
  plot.y_label = "microseconds";
  plot.log_x = plot.log_y = true;
  for (const ComparedConfiguration& one : result.configurations) {
    ConfigurationKey key = like;
    key.scale = one.key.scale;
    if (!(key == one.key)) continue;
    for (const ComparedClass& of : one.classes) {
      const auto named = [&](const LineSeries& series) { return series.name == of.name; };
      auto series = std::find_if(plot.series.begin(), plot.series.end(), named);
      if (series == plot.series.end()) series = plot.series.insert(series, {of.name, {}});
      series->points.push_back({static_cast<double>(one.postings), of.mean_us, 0});
    }
  }
  return plot;
}

// Of each mode and tier in the first directory of each tier, with the fewest threads.
void AddClassesBySize(const CompareResult& result, std::vector<Plot>& plots) {
  for (const std::string& mode : ModesOf(result)) {
    std::vector<std::string> tiers;
    for (const ComparedConfiguration* one : BaseOf(result, mode)) {
      if (std::find(tiers.begin(), tiers.end(), one->key.tier) != tiers.end()) continue;
      tiers.push_back(one->key.tier);
      plots.emplace_back(ClassesBySize(result, one->key));
    }
  }
}

// True if the configurations have several values of it.
bool Varies(const CompareResult& result,
            const std::function<uint64_t(const ConfigurationKey&)>& value) {
  return std::any_of(result.configurations.begin(), result.configurations.end(),
                     [&](const ComparedConfiguration& one) {
                       return value(one.key) != value(result.configurations[0].key);
                     });
}

}  // namespace

std::vector<Plot> PlotsOf(const CompareResult& result) {
  std::vector<Plot> plots;
  for (const std::string& mode : ModesOf(result)) {
    const PlottedConfigurations base = BaseOf(result, mode);
    plots.emplace_back(BarsOf(
        base, Titled("mean-" + mode, "Mean time of each class, " + mode, "microseconds"),
        [](const ComparedClass& one) { return std::optional(one.mean_us); },
        [](const ComparedClass& one) { return one.ci95_us; }));
    plots.emplace_back(BarsOf(
        base, Titled("p99-" + mode, "99th percentile of each class, " + mode, "microseconds"),
        [](const ComparedClass& one) { return std::optional(one.p99_us); }, NoError));
    plots.emplace_back(ByPostings(base, mode));
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
    AddClassesBySize(result, plots);
  }
  std::erase_if(plots, [](const Plot& plot) { return !HasValues(plot); });
  return plots;
}

}  // namespace pmdex
