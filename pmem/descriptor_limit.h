// How many files this process may have open at a time (RLIMIT_NOFILE). Thread-safe, but for a
// thread that changes the limit at the same time.
#pragma once

#include <cstdint>

namespace pmdex {

// Raises the limit as far as the process may without privileges, to the hard one: the soft limit is
// low by default for programs that call select(2), which this one does not.
void RaiseDescriptorLimit();

// How many descriptors can still be opened; 0: unknown.
uint64_t FreeDescriptors();

}  // namespace pmdex
