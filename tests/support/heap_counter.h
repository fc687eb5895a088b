// What operator new gave to a thread, for tests that say how much memory something takes or that it
// takes none. Counts in every test program, but not with sanitizers: they keep their own operator
// new, which sees more (PMDEX_COUNTS_ALLOCATIONS is 0 then).
//
// A thread's numbers are its own: what another one frees stays counted.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PMDEX_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PMDEX_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef PMDEX_COUNTS_ALLOCATIONS
#define PMDEX_COUNTS_ALLOCATIONS 1
#endif

namespace pmdex {

struct HeapCounts {
  size_t allocations = 0;
  int64_t live_bytes = 0;  // below zero after frees of what others took
  int64_t peak_bytes = 0;  // the most live_bytes since it was set
};

// Of the calling thread; peak_bytes may be set back. Zeros where nothing is counted.
HeapCounts& ThreadHeap();

}  // namespace pmdex
