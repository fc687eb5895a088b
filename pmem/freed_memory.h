// Gives the freed memory that malloc keeps back to the kernel. Code that returns memory to a budget
// calls it first: other threads will then allocate as much again, malloc cannot give them what an
// arena of this thread keeps, and the process would hold both.
//
// The call walks over the free memory of all arenas, locks each of them meanwhile, and makes a
// system call for every run of free pages. Memory that is taken again must be faulted in and zeroed
// again. Call it after a large piece of work, not after every free. Does nothing if the C library
// is not glibc. Thread-safe: no state.
#pragma once

namespace pmdex {

void ReturnFreedMemory();

}  // namespace pmdex
