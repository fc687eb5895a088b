// Counts what the queries of a set cost the CPU, with the counters of `pmdex profile`. Thread-safe:
// no state.
#pragma once

#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/compare/compare_result.h"
#include "tools/compare/measured_index.h"

namespace pmdex {

// The metrics of the set. Hardware counters where this machine has some, else software events.
absl::StatusOr<std::vector<CounterValue>> CountClass(const Searcher& searcher, const BoundSet& set,
                                                     const ConfigurationKey& key);

// Why there are no hardware counters; empty: there are.
std::string WhyNoHardwareCounters();

}  // namespace pmdex
