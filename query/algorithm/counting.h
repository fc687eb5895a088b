// Exact counts without scores: the documents of each clause as bits, a window at a time, combined
// word by word and counted. A single term or everything is known without looking. Thread-safe: no
// state.
#pragma once

#include <cstdint>

#include "pmem/status.h"
#include "query/kernel/kernels.h"
#include "query/planner.h"

namespace pmdex {

// How many documents match. kDataLoss as in SearchExhaustively.
absl::StatusOr<uint64_t> CountMatches(const Plan& plan, const QueryKernels& kernels);

}  // namespace pmdex
