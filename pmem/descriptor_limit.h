// The limit on files that this process may have open at a time (RLIMIT_NOFILE). Thread-safe as long
// as no other thread changes the limit at the same time.
#pragma once

#include <cstdint>

namespace pmdex {

// Raises the soft limit to the hard limit, which needs no privileges. The soft limit is low by
// default for the sake of programs that call select(2); this program does not.
void RaiseDescriptorLimit();

// The number of descriptors that this process can still open; 0 if it is unknown.
uint64_t FreeDescriptors();

}  // namespace pmdex
