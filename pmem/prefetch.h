// Asks the CPU to fetch a cache line before it is used. Addresses that are not mapped are ignored.
// It is volatile assembly, because GCC 12 drops calls of a function that contains only
// __builtin_prefetch.
#pragma once

namespace pmdex {

[[gnu::always_inline]] inline void PrefetchLine(const void* address) {
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
}

}  // namespace pmdex
