// The plots of `pmdex compare --counters`: where the cycles go in each configuration, by class, by
// the size of the index and by threads. Thread-safe: no state.
#pragma once

#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/plot.h"

namespace pmdex {

// Those that the result has counters for; without hardware counters there are few.
// - levels 1 and 2 and the levels of memory of each configuration, stacked, and level 1 of each
// class;
// - instructions, misses and stalls of each class in each configuration;
// - instructions by the postings of a query;
// - level 1, stalls, misses and their latency by the size of the index, and level 1 by threads,
//   where there are several.
std::vector<Plot> CounterPlots(const CompareResult& result);

}  // namespace pmdex
