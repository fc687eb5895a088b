// How much memory this process may take: what the machine has, or less where a control group that
// the process is in has a limit. Containers and batch systems set one, and the kernel kills what
// exceeds it. `root` stands before every path ("/" in use, a recorded tree in tests).
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

// The lowest limit of the process' memory control groups and of all that these are in: memory.max
// and memory.high of version 2, memory.limit_in_bytes of version 1. Nothing when none is set.
std::optional<uint64_t> ControlGroupMemoryLimit(std::string_view root = "/");

// The smaller of that and the machine's RAM.
uint64_t UsableMemoryBytes();

// The largest resident memory of this process so far; 0: unknown.
uint64_t PeakRssBytes();

}  // namespace pmdex
