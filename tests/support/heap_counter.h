// Counts what operator new gives to each thread, for tests of how much memory something takes. All
// test programs count, except with sanitizers, which have their own operator new;
// PMDEX_COUNTS_ALLOCATIONS is 0 then.
//
// Memory that another thread frees stays counted for the thread that allocated it.
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
  int64_t live_bytes = 0;  // negative if the thread frees what other threads allocated
  int64_t peak_bytes = 0;  // the greatest live_bytes since a test last set it
};

// The counts of the calling thread. Tests may set peak_bytes. Zeros if nothing is counted.
HeapCounts& ThreadHeap();

}  // namespace pmdex
