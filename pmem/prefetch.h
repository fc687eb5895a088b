// Asks the CPU to fetch a cache line ahead of its use. Any address will do: one that is not mapped
// is ignored. As volatile assembly, because GCC 12 takes a function that does nothing but
// __builtin_prefetch for one without effect and drops its calls.
#pragma once

namespace pmdex {

[[gnu::always_inline]] inline void PrefetchLine(const void* address) {
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
}

}  // namespace pmdex
