// Runs a comparison: makes the indexes, runs every query set in every configuration, and compares
// the answers. A configuration that cannot be measured here is skipped with the reason. For one
// thread.
#pragma once

#include <functional>
#include <string_view>

#include "pmem/status.h"
#include "tools/compare/compare_options.h"
#include "tools/compare/compare_result.h"

namespace pmdex {

// Below each directory of --dirs, the folder that the run makes and removes.
inline constexpr char kCompareFolder[] = "pmdex-compare";

// Shows what the run is at.
using ShowProgress = std::function<void(std::string_view)>;

// Removes the indexes that it made once it has measured everything. After an error they stay, so
// that --resume can go on. Returns kAlreadyExists if another run has left its folder.
absl::StatusOr<CompareResult> RunCompare(const CompareOptions& options, const ShowProgress& show);

// Reads the files of --beside into the result.
absl::Status AddBeside(const std::vector<std::string>& files, CompareResult& result);

}  // namespace pmdex
