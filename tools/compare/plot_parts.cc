#include "tools/compare/plot_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_tables.h"

namespace pmdex {
namespace {

std::vector<std::string> ClassesOf(const PlottedConfigurations& configurations) {
  std::vector<std::string> names;
  for (const ComparedConfiguration* one : configurations) {
    for (const ComparedClass& of : one->classes) {
      if (std::find(names.begin(), names.end(), of.name) == names.end()) names.push_back(of.name);
    }
  }
  return names;
}

// How each class grows with the index, for one place of indexes. `like`: any of their keys.
LinePlot ClassesOfPlace(const CompareResult& result, const ConfigurationKey& like, LinePlot plot,
                        const PlottedNumber& number) {
  absl::StrAppend(&plot.name, "-", like.mode, "-", like.tier);
  absl::StrAppend(&plot.title, ", ", like.tier, " ", like.mode);
  plot.x_label = "postings of the index";
  plot.log_x = true;
  for (const ComparedConfiguration& one : result.configurations) {
    ConfigurationKey key = like;
    key.scale = one.key.scale;
    if (!(key == one.key)) continue;
    for (const ComparedClass& of : one.classes) {
      const std::optional<double> value = number(of);
      if (!value.has_value()) continue;
      const auto named = [&](const LineSeries& series) { return series.name == of.name; };
      auto series = std::find_if(plot.series.begin(), plot.series.end(), named);
      if (series == plot.series.end()) series = plot.series.insert(series, {of.name, {}});
      series->points.push_back({static_cast<double>(one.postings), *value, 0});
    }
  }
  return plot;
}

}  // namespace

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

bool Varies(const CompareResult& result,
            const std::function<uint64_t(const ConfigurationKey&)>& value) {
  return std::any_of(result.configurations.begin(), result.configurations.end(),
                     [&](const ComparedConfiguration& one) {
                       return value(one.key) != value(result.configurations[0].key);
                     });
}

BarPlot Titled(std::string name, std::string title, std::string y_label) {
  BarPlot plot;
  plot.name = std::move(name);
  plot.title = std::move(title);
  plot.y_label = std::move(y_label);
  return plot;
}

LinePlot LineTitled(std::string name, std::string title, std::string y_label) {
  LinePlot plot;
  plot.name = std::move(name);
  plot.title = std::move(title);
  plot.y_label = std::move(y_label);
  return plot;
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

LinePlot ByPostings(const PlottedConfigurations& configurations, LinePlot plot,
                    const std::function<std::optional<double>(const PostingBucket&)>& number) {
  plot.x_label = "postings in the lists of a query";
  plot.log_x = plot.log_y = true;
  for (const ComparedConfiguration* one : configurations) {
    std::map<uint64_t, std::pair<double, double>> sums;  // by `from`: weighted sum, queries
    for (const ComparedClass& of : one->classes) {
      for (const PostingBucket& bucket : of.by_postings) {
        const std::optional<double> value = number(bucket);
        if (!value.has_value()) continue;
        auto& [sum, queries] = sums[std::max<uint64_t>(bucket.from, 1)];
        sum += *value * static_cast<double>(bucket.queries);
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

std::vector<Plot> ClassesBySize(const CompareResult& result, const LinePlot& plot,
                                const PlottedNumber& number) {
  std::vector<Plot> plots;
  for (const std::string& mode : ModesOf(result)) {
    std::vector<std::string> tiers;
    for (const ComparedConfiguration* one : BaseOf(result, mode)) {
      if (std::find(tiers.begin(), tiers.end(), one->key.tier) != tiers.end()) continue;
      tiers.push_back(one->key.tier);
      plots.emplace_back(ClassesOfPlace(result, one->key, plot, number));
    }
  }
  return plots;
}

}  // namespace pmdex
