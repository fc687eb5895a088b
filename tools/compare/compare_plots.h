// The plots of `pmdex compare`. Thread-safe: no state.
#pragma once

#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/plot.h"

namespace pmdex {

// The plots that the result has numbers for:
// - the mean and the 99th percentile of each class in each configuration, one plot for a mode;
// - the mean by the postings of a query, in each configuration of a mode;
// - queries a second by the number of threads, where there are several;
// - first runs (--cold), bytes touched, and the mean by the size of the index, where measured.
std::vector<Plot> PlotsOf(const CompareResult& result);

}  // namespace pmdex
