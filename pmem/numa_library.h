// libnuma as a table of the functions that pmdex calls, loaded when a build, a batch of queries on
// several threads or `pmdex doctor` asks for the nodes of the machine. Its constructor reads a
// dozen files below /sys and /proc, which a single search need not wait for.
//
// Thread-safe. What is loaded stays loaded.
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

// The table; it lives as long as the process. kUnimplemented where the library is missing or lacks
// one of the functions; the first answer is the answer of every later call.
absl::StatusOr<const NumaLibrary*> LoadNuma();

}  // namespace pmdex
