// Records which bytes of mapped ranges a piece of work loads, one instruction at a time, without a
// tracer: the ranges are made inaccessible, each load of them faults, is noted, and runs alone with
// its page open (mprotect and the trap flag of x86). A load costs some microseconds.
//
// Uses SIGSEGV and SIGTRAP of the process meanwhile, so only one thread may record, and no other
// thread may read the ranges. A gather instruction counts as the loads of its different pages only:
// callers that need all loads run scalar kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct RecordedAccess {
  uint32_t range = 0;   // the number of the range
  uint64_t offset = 0;  // in it, of the first byte
  uint32_t bytes = 0;   // at most so many, told by the instruction
};

// Runs the work and returns its loads of the ranges in their order. Requires read-only mappings
// that begin at a page border and stay mapped. Returns kOutOfRange if there are more than `most`
// loads (the work still runs to its end), and kUnimplemented on other machines than x86-64 Linux.
absl::StatusOr<std::vector<RecordedAccess>> RecordAccesses(
    std::span<const std::span<const std::byte>> ranges, const std::function<void()>& work,
    size_t most);

// The most bytes that the x86-64 instruction loads from memory. code: its bytes, at least 15 or to
// the end of what is mapped.
uint32_t LoadedBytes(std::span<const uint8_t> code);

}  // namespace pmdex
