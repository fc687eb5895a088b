// How much memory this process may take: the memory of the machine, or the limit of a control group
// of the process if that is lower. Containers and batch systems set such limits, and the kernel
// kills processes that exceed them. root: stands before every path; tests give a recorded tree.
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

// The lowest limit of the memory control groups of the process and of the groups around them. Reads
// memory.max and memory.high of version 2, and memory.limit_in_bytes of version 1. nullopt if no
// limit is set.
std::optional<uint64_t> ControlGroupMemoryLimit(std::string_view root = "/");

// The lower of that limit and the RAM of the machine.
uint64_t UsableMemoryBytes();

// The largest resident memory of this process so far; 0: unknown.
uint64_t PeakRssBytes();

}  // namespace pmdex
