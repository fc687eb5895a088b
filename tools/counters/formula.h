// Evaluates the formulas of metric tables: numbers, names, + - * /, < and >, parentheses, and the
// functions min(a,b), max(a,b) and if(condition,a,b). A name stands for a count or for another
// metric. Thread-safe: no state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// The value of a name; nothing if it was not measured.
using FormulaNames = std::function<std::optional<double>(std::string_view name)>;

// Returns nothing if a name that the result depends on has no value, or if the result is not a
// finite number, as after a division by zero. The branch of an if that is not taken needs no
// value. kInvalidArgument if the formula is malformed.
absl::StatusOr<std::optional<double>> EvaluateFormula(std::string_view formula,
                                                      const FormulaNames& names);

// The names in the formula, without functions, in order of appearance and with repetitions.
std::vector<std::string> NamesInFormula(std::string_view formula);

}  // namespace pmdex
