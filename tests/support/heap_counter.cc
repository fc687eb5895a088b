#include "tests/support/heap_counter.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace pmdex {

HeapCounts& ThreadHeap() {
  thread_local HeapCounts counts;
  return counts;
}

}  // namespace pmdex

#if PMDEX_COUNTS_ALLOCATIONS

namespace {

void Free(void* memory) {
  if (memory == nullptr) return;
  pmdex::ThreadHeap().live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// Replaces operator new of the whole test program. operator new[] and the nothrow forms call this
// one. It is not inlined, because GCC would warn that memory from new is freed.
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  pmdex::HeapCounts& heap = pmdex::ThreadHeap();
  ++heap.allocations;
  heap.live_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  heap.peak_bytes = std::max(heap.peak_bytes, heap.live_bytes);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  Free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  Free(memory);
}

#endif  // PMDEX_COUNTS_ALLOCATIONS
