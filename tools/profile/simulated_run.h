// `pmdex profile --simulate`: runs the queries under callgrind, with the cache sizes of this
// machine, in a process of its own. The numbers are those of a simulation: no prefetching, no
// latency, no speculation; they serve for ratios. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/profile/cpuid_caches.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

struct CacheSize {
  uint64_t bytes = 0;
  uint64_t ways = 0;
  bool is_changed = false;  // the simulator cannot have the size that the CPU has
  bool is_assumed = false;  // nothing tells the size of the CPU's cache
};

// "32768,8,64", as the simulator wants it.
std::string CacheFlag(const CacheSize& cache);

struct CacheSizes {
  CacheSize i1;
  CacheSize d1;
  CacheSize ll;
};

// From sysfs below the root; what is not there, from CPUID; what neither has is assumed to be 32
// KiB, 32 KiB and 32 MiB. The simulator needs a power of two of sets: other sizes become the next
// smaller one.
CacheSizes FindCacheSizes(std::string_view root = "/", const CpuidLeaf& cpuid = CpuidOfThisCpu);

// The sizes, and for each whether it is not that of the CPU.
std::string CachesInWords(const CacheSizes& caches);

// Runs `program profile --simulated-child` under callgrind. Returns kNotFound if valgrind is not
// installed. exhaustive: score every match. simd: as --simd has it; the simulator has no AVX-512.
absl::StatusOr<ProfiledConfiguration> SimulateQueries(const std::string& program,
                                                      const std::string& index,
                                                      const std::vector<ProfileQuery>& queries,
                                                      bool exhaustive, const std::string& simd);

// What the process under callgrind does: runs each query once without counting, then once with a
// dump after it. Prints the kernels' name.
absl::Status RunSimulatedChild(const Searcher& searcher, const std::vector<std::string>& queries,
                               const SearchOptions& options);

}  // namespace pmdex
