#include "pmem/freed_memory.h"

#include <cstdlib>  // defines __GLIBC__ where it is glibc

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pmdex {

void ReturnFreedMemory() {
#ifdef __GLIBC__
  // In a process whose malloc is another one (jemalloc, or that of a sanitizer), the first call
  // initialises glibc's heap, and glibc lets a second thread use the heap before that has ended.
  // The initialisation of a static variable makes other threads wait.
  [[maybe_unused]] static const int first = malloc_trim(0);
  malloc_trim(0);
#endif
}

}  // namespace pmdex
