// The page of `pmdex compare` with its plots, and the files below --out. Thread-safe: no state.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/compare/compare_result.h"

namespace pmdex {

// Writes report.json, report.html and the plots into the directory, which is made if it is missing.
absl::Status WriteComparison(const CompareResult& result, const std::string& directory);

}  // namespace pmdex
