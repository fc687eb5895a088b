#include "tools/compare/medium/predicted_classes.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/compare/medium/class_touches.h"

namespace pmdex {
namespace {

constexpr double kTouchedLineBytes = 64;

ClassTouchCounts CountsOf(const QueryTouches& touches) {
  ClassTouchCounts counts;
  for (const auto& [section, of] : touches.sections) {
    counts.push_back(
        {section, of.of_64.random, of.of_64.sequential, of.of_256.random, of.of_256.sequential});
  }
  return counts;
}

}  // namespace

void AddPredictions(const std::vector<std::optional<ModelledClass>>& modelled,
                    const PredictionBasis& basis, ComparedConfiguration& configuration) {
  std::vector<ModelledClass> known;
  std::vector<size_t> places;
  for (size_t i = 0; i < modelled.size(); ++i) {
    if (!modelled[i].has_value()) continue;
    known.push_back(*modelled[i]);
    places.push_back(i);
  }
  const std::vector<ModelledTime> times = PredictTimes(known, basis.dram, basis.medium);
  for (size_t i = 0; i < times.size(); ++i) {
    ComparedClass& one = configuration.classes[places[i]];
    if (std::isfinite(times[i].error)) {
      one.model = ModelCheck{known[i].hot_us, known[i].dropped_us, times[i].error, std::nullopt};
    }
    if (times[i].uncached_us.has_value()) {
      one.model->uncached_us = times[i].uncached_us;
      one.predicted = PredictedTime{basis.medium.name,
                                    PredictedMeanUs(known[i], *times[i].uncached_us, one.mean_us),
                                    times[i].error};
    } else {
      configuration.notes.push_back(absl::StrCat(
          one.name, ": no prediction, because the model's error in DRAM is ",
          std::isfinite(times[i].error) ? absl::StrFormat("%.0f %%", 100 * times[i].error)
                                        : std::string("not known with one class")));
    }
  }
}

absl::Status AddTouches(const MeasuredIndex& index, const std::vector<BoundSet>& sets,
                        const std::optional<PredictionBasis>& basis,
                        const std::function<void(std::string_view)>& show,
                        ComparedConfiguration& configuration) {
  TouchOptions options;
  options.timed = basis.has_value();
  const SearchOptions search = SearchOptionsOfMode(configuration.key.mode);
  std::vector<std::optional<ModelledClass>> modelled(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    show(absl::StrCat("what queries touch: ", configuration.key.mode, " ", sets[i].name));
    const auto touches = StudyClass(index.searcher(), sets[i], search, options);
    if (absl::IsOutOfRange(touches.status()) || absl::IsUnimplemented(touches.status())) {
      configuration.notes.push_back(absl::StrCat(sets[i].name, ": touched lines are not counted: ",
                                                 std::string(Message(touches.status()))));
      continue;
    }
    PMDEX_RETURN_IF_ERROR(touches.status());
    ComparedClass& one = configuration.classes[i];
    one.bytes_touched = kTouchedLineBytes * touches->mean.total().of_64.total();
    one.touches = CountsOf(touches->mean);
    modelled[i] = touches->modelled;
  }
  if (basis.has_value()) AddPredictions(modelled, *basis, configuration);
  return absl::OkStatus();
}

}  // namespace pmdex
