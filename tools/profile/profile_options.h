// How `pmdex profile` runs the queries of one configuration. Thread-safe: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/kernel/kernels.h"
#include "tools/counters/perf_counters.h"

namespace pmdex {

struct ProfileRunOptions {
  size_t threads = 1;
  size_t passes = 3;  // over all queries, for the times and for each group
  bool exhaustive = false;
  std::vector<int> cpus;  // the thread i runs on the CPU i modulo their number; empty: on any
  const QueryKernels* kernels = &BestQueryKernels();
  bool each_query = false;                 // the metrics of each query, too, not only of groups
  uint32_t sample_rate_hz = 4000;          // 0: no sampling
  OpenEvent open_sampler = OpenPerfEvent;  // for samples
};

}  // namespace pmdex
