// Adds to a measured configuration what its queries touch and, with a model of a medium, what they
// would take there. For one thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/compare_result.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/medium/medium_model.h"

namespace pmdex {

// A medium to predict for, and this machine's DRAM to check the model on.
struct PredictionBasis {
  MediumTimes medium;
  MemoryTimes dram;
};

// Sets bytes_touched and touches of each class and, with a basis, model and predicted. What cannot
// be recorded or predicted becomes a note. sets: indexed like the classes.
absl::Status AddTouches(const MeasuredIndex& index, const std::vector<BoundSet>& sets,
                        const std::optional<PredictionBasis>& basis,
                        const std::function<void(std::string_view)>& show,
                        ComparedConfiguration& configuration);

// Sets model and predicted from the measured classes; those without a ModelledClass are left out.
void AddPredictions(const std::vector<std::optional<ModelledClass>>& modelled,
                    const PredictionBasis& basis, ComparedConfiguration& configuration);

}  // namespace pmdex
