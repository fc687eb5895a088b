// How many CPUs this process can keep busy: those that it may run on, or less where a control group
// that it is in has a quota of CPU time. More threads than that only make one another wait, and the
// kernel stops all of them for the rest of a period once the quota is used up. `root` stands before
// every path ("/" in use, a recorded tree in tests). Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

// The lowest quota of the process' CPU control groups and of all that these are in, in whole CPUs,
// rounded up: cpu.max of version 2, cpu.cfs_quota_us and cpu.cfs_period_us of version 1. Nothing
// when none is set.
std::optional<uint64_t> ControlGroupCpuLimit(std::string_view root = "/");

// The smaller of that and the CPUs that the calling thread may run on; at least 1.
int UsableCpus(std::string_view root = "/");

}  // namespace pmdex
