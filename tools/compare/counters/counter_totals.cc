#include "tools/compare/counters/counter_totals.h"

#include <algorithm>

#include "tools/profile/profile_diff.h"

namespace pmdex {
namespace {

// What a value of this unit is a mean over, in a class; nullopt: it cannot be added up.
std::optional<double> WeightOf(const ComparedClass& one, std::string_view unit) {
  const auto queries = static_cast<double>(one.queries);
  const auto times_queries = [&](const char* counter) -> std::optional<double> {
    const std::optional<double> of_query = CounterOf(one.counters, counter);
    if (!of_query.has_value()) return std::nullopt;
    return *of_query * queries;
  };
  if (unit.ends_with("per query")) return queries;
  if (unit == "per 1,000 instructions") return times_queries("instructions_per_query");
  if (unit == "share of slots" || unit == "share of cycles" || unit == "instructions per cycle") {
    return times_queries("cycles_per_query");
  }
  return std::nullopt;
}

std::optional<double> MeanOfClasses(const ComparedConfiguration& configuration,
                                    const CounterValue& like) {
  double sum = 0;
  double weights = 0;
  for (const ComparedClass& one : configuration.classes) {
    const std::optional<double> value = CounterOf(one.counters, like.name);
    const std::optional<double> weight = WeightOf(one, like.unit);
    if (!value.has_value() || !weight.has_value()) return std::nullopt;
    sum += *value * *weight;
    weights += *weight;
  }
  if (weights == 0) return std::nullopt;
  return sum / weights;
}

// What the configuration is compared with: the first one of its mode and scale, or, if it is that
// one, the first one of its mode.
const ComparedConfiguration& BaseFor(const CompareResult& result,
                                     const ComparedConfiguration& one) {
  const auto first = [&](bool of_scale) -> const ComparedConfiguration& {
    return *std::find_if(result.configurations.begin(), result.configurations.end(),
                         [&](const ComparedConfiguration& other) {
                           return other.key.mode == one.key.mode &&
                                  (!of_scale || other.key.scale == one.key.scale);
                         });
  };
  const ComparedConfiguration& like = first(/*of_scale=*/true);
  return &like == &one ? first(/*of_scale=*/false) : like;
}

}  // namespace

const CounterValue* FindCounter(const std::vector<CounterValue>& counters, std::string_view name) {
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const CounterValue& one) { return one.name == name; });
  return found == counters.end() ? nullptr : &*found;
}

std::optional<double> CounterOf(const std::vector<CounterValue>& counters, std::string_view name) {
  const CounterValue* const found = FindCounter(counters, name);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

std::vector<CounterValue> CountersOfAll(const ComparedConfiguration& configuration) {
  std::vector<CounterValue> all;
  if (configuration.classes.empty()) return all;
  for (const CounterValue& like : configuration.classes[0].counters) {
    const std::optional<double> mean = MeanOfClasses(configuration, like);
    if (mean.has_value()) all.push_back({like.name, *mean, like.unit, like.source});
  }
  return all;
}

SavedProfile CountersAsProfile(const ComparedConfiguration& configuration) {
  SavedProfile profile;
  profile.path = NameOfConfiguration(configuration.key);
  for (const CounterValue& counter : CountersOfAll(configuration)) {
    profile.order.push_back(counter.name);
    profile.metrics[counter.name] = {counter.value, counter.unit};
  }
  return profile;
}

ReportTable CounterDifferences(const CompareResult& result) {
  ReportTable table = {
      "What explains the difference of B to A", {{"B"}, {"A"}, {"difference"}}, {}};
  for (const ComparedConfiguration& one : result.configurations) {
    const ComparedConfiguration& first = BaseFor(result, one);
    if (&first == &one) continue;
    const SavedProfile a = CountersAsProfile(first);
    const SavedProfile b = CountersAsProfile(one);
    if (a.metrics.empty() || b.metrics.empty()) continue;
    table.rows.push_back({b.path, a.path, DifferenceInWords(a, b)});
  }
  return table;
}

}  // namespace pmdex
