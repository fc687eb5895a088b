// Measures first runs: the pages of the index, those at its places included, are dropped before
// each set, and each query runs once, on one thread. For one thread.
#pragma once

#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/measured_index.h"

namespace pmdex {

struct ColdMeans {
  std::vector<double> mean_us;  // indexed like the sets; empty: pages cannot be dropped
  std::string why_not;
};

// Requires that no process maps the files of the index.
absl::StatusOr<ColdMeans> MeasureCold(const std::string& path, const std::vector<BoundSet>& sets,
                                      const std::string& mode);

}  // namespace pmdex
