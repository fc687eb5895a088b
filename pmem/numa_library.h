// Loads libnuma into a table of the functions that pmdex calls. Builds, batches of queries on
// several threads and `pmdex doctor` need it. It is not linked, because its constructor reads a
// dozen files below /sys and /proc, for which a single search should not wait.
//
// Thread-safe. The library stays loaded.
#pragma once

#include <numa.h>

#include "pmem/status.h"

// Each name without its prefix numa_.
#define PMDEX_NUMA_FUNCTIONS(X) \
  X(allocate_cpumask)           \
  X(available)                  \
  X(bitmask_free)               \
  X(bitmask_isbitset)           \
  X(max_node)                   \
  X(move_pages)                 \
  X(node_size64)                \
  X(node_to_cpus)

namespace pmdex {

struct NumaLibrary {
#define PMDEX_NUMA_MEMBER(name) decltype(&::numa_##name) name = nullptr;
  PMDEX_NUMA_FUNCTIONS(PMDEX_NUMA_MEMBER)
#undef PMDEX_NUMA_MEMBER
};

// The table, which lives as long as the process. Returns kUnimplemented if the library or one of
// its functions is missing. Later calls return what the first call returned.
absl::StatusOr<const NumaLibrary*> LoadNuma();

}  // namespace pmdex
